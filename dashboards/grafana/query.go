package main

import (
	"fmt"
	"strings"
)

// Matchers by the variables of the dashboard.
const (
	ofJob   = `job=~"$job"`
	ofFleet = `job=~"$job", fleet=~"$fleet"`
)

// rate is Grafana's window for rates: four scrapes at least.
const rate = "$__rate_interval"

// fleet is a metric of the chosen fleets.
func fleet(metric string) string { return metric + "{" + ofFleet + "}" }

// job is a metric of the chosen jobs.
func job(metric string) string { return metric + "{" + ofJob + "}" }

// agree takes what every instance that judges shows alike: the largest, as one that has just begun shows 0.
func agree(by, expr string) string { return fmt.Sprintf("max by (%s) (%s)", by, expr) }

// least is agree for what is the worse the smaller it is.
func least(by, expr string) string { return fmt.Sprintf("min by (%s) (%s)", by, expr) }

// sum adds up what each instance does for its part.
func sum(by, expr string) string { return fmt.Sprintf("sum by (%s) (%s)", by, expr) }

// perSecond is the rate of a counter.
func perSecond(series string) string { return fmt.Sprintf("rate(%s[%s])", series, rate) }

// during is the increase of a counter in a window.
func during(series string) string { return fmt.Sprintf("increase(%s[%s])", series, rate) }

// decided keeps the series of the instance that decides.
func decided(expr string) string {
	return fmt.Sprintf("%s and on (job, instance) %s == 1", expr, job("firebreak_decider"))
}

// some drops what is zero, so that of a long list of reasons only those show that are.
func some(expr string) string { return "(" + expr + ") > 0" }

// quantile is a quantile of a histogram over a window: of the native one where Prometheus has it, else of the classic one.
func quantile(q, by, series, window string) string {
	metric, matchers, _ := strings.Cut(series, "{")
	native := fmt.Sprintf("histogram_quantile(%s, sum by (%s) (rate(%s[%s])))", q, by, series, window)
	classic := fmt.Sprintf("histogram_quantile(%s, sum by (%s) (rate(%s_bucket{%s[%s])))", q, by+", le", metric, matchers, window)
	return native + " or " + classic
}
