package operation

import "slices"

// With is an executor that goes by other tables, for tests that leave something out.
func With(tables []Machine) Executor { return Executor{tables: tables} }

// Without are the tables, where a phase does not wait for a condition, whichever table it is in.
func Without(phase string, c Condition) []Machine {
	all := Machines()
	for i := range all {
		if at := all[i].at(phase); at >= 0 {
			all[i].Phases[at].Until = slices.DeleteFunc(slices.Clone(all[i].Phases[at].Until), func(o Condition) bool { return o == c })
		}
	}
	return all
}

// Skipping are the tables, where a phase of one is passed over by what stands above it, and by the way back.
func Skipping(machine, phase string) []Machine {
	all := Machines()
	m := &all[slices.IndexFunc(all, func(m Machine) bool { return m.Name == machine })]
	at := m.at(phase)
	m.Phases[at-1].Next = m.after(at)
	for i := range m.Phases {
		if m.Phases[i].Back == phase {
			m.Phases[i].Back = m.after(at)
		}
	}
	return all
}
