package main

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

// uid is the dashboard's id in every Grafana: links to it keep working when it is provisioned anew.
const uid = "firebreak"

// Heights of panels, in rows of the grid.
const (
	tall  = 8
	short = 4
)

// build lays the sections out.
func build(sections []section) (dashboard.Dashboard, error) { //nolint:staticcheck // the schema of files that every Grafana imports; v2 is for its newest
	b := dashboard.NewDashboardBuilder("firebreak") //nolint:staticcheck // the schema of files that every Grafana imports; v2 is for its newest
	b.Uid(uid).
		Description("Hot shards by cause, how far that can be trusted, and what firebreak itself does. Generated; docs/metrics.md describes the metrics, docs/alerts.md the alerts.").
		Tags([]string{"firebreak"}).
		Timezone("browser").
		Tooltip(dashboard.DashboardCursorSyncCrosshair).
		Time("now-1h", "now").
		Refresh("30s").
		Readonly().
		WithVariable(datasourceVariable()).
		WithVariable(queryVariable("job", "Job", "label_values(firebreak_build_info, job)", "The job of Prometheus that scrapes the instances of one group.")).
		WithVariable(queryVariable("fleet", "Fleet", `label_values(firebreak_blind{job=~"$job"}, fleet)`, "Fleets of the configuration."))
	id := uint32(0)
	for i := range sections {
		s := &sections[i]
		id++
		row := dashboard.NewRowBuilder(s.title).Id(id).Collapsed(s.closed)
		if !s.closed {
			b.WithRow(row)
		}
		for j := range s.panels {
			id++
			drawn, err := draw(&s.panels[j], id)
			if err != nil {
				return dashboard.Dashboard{}, fmt.Errorf("%s: %s: %w", s.title, s.panels[j].title, err) //nolint:staticcheck // the schema of files that every Grafana imports; v2 is for its newest
			}
			if s.closed {
				row.WithPanel(drawn)
			} else {
				b.WithPanel(drawn)
			}
		}
		if s.closed {
			b.WithRow(row)
		}
	}
	return b.Build()
}

func datasourceVariable() *dashboard.DatasourceVariableBuilder {
	return dashboard.NewDatasourceVariableBuilder("datasource").Label("Data source").Type("prometheus").
		Description("The Prometheus that scrapes firebreak.")
}

// queryVariable is a choice of label values, all of them unless someone chooses.
func queryVariable(name, label, query, about string) *dashboard.QueryVariableBuilder {
	all := "$__all"
	shown := "All"
	return dashboard.NewQueryVariableBuilder(name).Label(label).Description(about).
		Datasource(source()).Query(dashboard.StringOrMap{String: &query}).Definition(query).
		Refresh(dashboard.VariableRefreshOnTimeRangeChanged).Sort(dashboard.VariableSortAlphabeticalAsc).
		Multi(true).IncludeAll(true).AllValue(".+").
		Current(dashboard.VariableOption{
			Text: dashboard.StringOrArrayOfString{String: &shown}, Value: dashboard.StringOrArrayOfString{String: &all},
		})
}

// source is the data source that the dashboard's first variable chooses.
func source() common.DataSourceRef {
	kind, id := "prometheus", "${datasource}"
	return common.DataSourceRef{Type: &kind, Uid: &id}
}

// draw makes a panel of Grafana. Unknown kinds are errors.
func draw(p *panel, id uint32) (cog.Builder[dashboard.Panel], error) {
	switch p.kind {
	case lines, stacks:
		return drawLines(p, id), nil
	case number, name:
		return drawNumber(p, id), nil
	}
	return nil, fmt.Errorf("kind %d is unknown", p.kind)
}

func drawLines(p *panel, id uint32) *timeseries.PanelBuilder {
	b := timeseries.NewPanelBuilder().Id(id).Title(p.title).Description(p.about).Unit(p.unit).
		Datasource(source()).Span(p.width).Height(tall).
		LineWidth(1).ShowPoints(common.VisibilityModeNever).AxisSoftMin(p.span.from).
		Legend(common.NewVizLegendOptionsBuilder().ShowLegend(true).DisplayMode(common.LegendDisplayModeList).Placement(common.LegendPlacementBottom)).
		Tooltip(common.NewVizTooltipOptionsBuilder().Mode(common.TooltipDisplayModeMulti).Sort(common.SortOrderDescending))
	if p.span.to > p.span.from {
		b.AxisSoftMax(p.span.to)
	}
	if p.kind == stacks {
		b.FillOpacity(30).Stacking(common.NewStackingConfigBuilder().Mode(common.StackingModeNormal))
	}
	if len(p.limits) > 0 {
		b.Thresholds(thresholds(p.limits)).
			ThresholdsStyle(common.NewGraphThresholdsStyleConfigBuilder().Mode(common.GraphThresholdsStyleModeDashed))
	}
	if p.none != "" {
		b.NoValue(p.none)
	}
	for i := range p.asks {
		b.WithTarget(target(&p.asks[i], i).Range())
	}
	return b
}

func drawNumber(p *panel, id uint32) *stat.PanelBuilder {
	b := stat.NewPanelBuilder().Id(id).Title(p.title).Description(p.about).Unit(p.unit).
		Datasource(source()).Span(p.width).Height(short).
		Orientation(common.VizOrientationAuto).GraphMode(common.BigValueGraphModeNone).ColorMode(common.BigValueColorModeValue).
		ReduceOptions(common.NewReduceDataOptionsBuilder().Calcs([]string{"lastNotNull"}))
	switch {
	case p.kind == name:
		b.TextMode(common.BigValueTextModeName)
	case len(p.asks) > 1:
		b.TextMode(common.BigValueTextModeValueAndName)
	default:
		b.TextMode(common.BigValueTextModeValue)
	}
	if len(p.limits) > 0 {
		b.Thresholds(thresholds(p.limits))
	}
	if p.none != "" {
		b.NoValue(p.none)
	}
	for i := range p.asks {
		b.WithTarget(target(&p.asks[i], i).Instant())
	}
	return b
}

func target(a *ask, i int) *prometheus.DataqueryBuilder {
	return prometheus.NewDataqueryBuilder().Datasource(source()).RefId(string(rune('A' + i))).
		Expr(a.expr).LegendFormat(a.legend).EditorMode(prometheus.QueryEditorModeCode)
}

// thresholds are the limits; Grafana's first step has no value: it begins at minus infinity.
func thresholds(limits []limit) *dashboard.ThresholdsConfigBuilder {
	var steps []dashboard.Threshold
	for i, l := range limits {
		step := dashboard.Threshold{Color: l.colour}
		if i > 0 {
			step.Value = &l.at
		}
		steps = append(steps, step)
	}
	return dashboard.NewThresholdsConfigBuilder().Mode(dashboard.ThresholdsModeAbsolute).Steps(steps)
}
