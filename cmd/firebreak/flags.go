package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"firebreak/internal/strictyaml"
)

// flagError words what cobra found wrong with the flags of a command as every other wrong flag is worded: the flag, the
// value, and what is wanted.
func flagError(cmd *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	var name *pflag.NotExistError
	switch {
	case errors.As(err, &value):
		return wrong(value.GetFlag().Name, value.GetValue(), wanted(value.GetFlag().Value.Type()))
	case errors.As(err, &missing):
		return usageError{fmt.Errorf("--%s: a value is missing; want %s", missing.GetFlag().Name, wanted(missing.GetFlag().Value.Type()))}
	case errors.As(err, &name) && name.GetSpecifiedShortnames() == "":
		return unknownFlag(cmd, name.GetSpecifiedName())
	}
	return usageError{errors.New(strings.Join(strings.Fields(err.Error()), " "))}
}

// unknownFlag names the flag that may have been meant.
func unknownFlag(cmd *cobra.Command, name string) error {
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	text := fmt.Sprintf("--%s: unknown flag", shownValue(name))
	if near := strictyaml.Nearest(name, known); near != "" {
		text += fmt.Sprintf("; did you mean --%s?", near)
	}
	return usageError{errors.New(text)}
}

// wanted says what a value of a flag's type looks like.
func wanted(kind string) string {
	switch kind {
	case "int":
		return "a whole number, such as 16"
	case "uint64":
		return "a whole number, 0 or more"
	case "float64":
		return "a number, such as 8000"
	case "duration":
		return "a time with its unit, such as 30s, 5m or 1h30m"
	case "bool":
		return "true or false"
	}
	return "a text"
}
