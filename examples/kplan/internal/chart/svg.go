package chart

import (
	"fmt"
	"html"
	"image/color"
	"io"
	"strings"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// The size of a picture.
const (
	pictureWidth  = 20 * vg.Centimeter
	podsHeight    = 9 * vg.Centimeter
	trafficHeight = 5 * vg.Centimeter
	legendWidth   = 5 * vg.Centimeter // to the right of the plots
)

// colors tell series apart, also for most people who do not see all colors.
var colors = []color.Color{
	color.NRGBA{R: 213, G: 94, B: 0, A: 255}, color.NRGBA{R: 0, G: 114, B: 178, A: 255}, color.NRGBA{R: 0, G: 158, B: 115, A: 255},
	color.NRGBA{R: 204, G: 121, B: 167, A: 255}, color.NRGBA{R: 86, G: 180, B: 233, A: 255}, color.NRGBA{R: 230, G: 159, B: 0, A: 255},
}

var (
	gray   = color.NRGBA{R: 120, G: 120, B: 120, A: 255}
	shaded = color.NRGBA{R: 225, G: 225, B: 225, A: 255}
)

// SVG writes the chart as a picture. Names are escaped as on a terminal, because XML
// cannot hold every character.
func (c *Chart) SVG(w io.Writer) error {
	height := podsHeight
	if c.Traffic != nil {
		height += trafficHeight
	}
	canvas := vgsvg.New(pictureWidth, height)
	if err := c.Draw(draw.New(escaping{canvas})); err != nil {
		return err
	}
	_, err := canvas.WriteTo(w)
	return err
}

// escaping is a canvas on which every text is escaped, wherever it comes from.
type escaping struct{ *vgsvg.Canvas }

// FillString writes a text at a point.
func (e escaping) FillString(font font.Face, at vg.Point, text string) {
	e.Canvas.FillString(font, at, terminal.Escape(text))
}

// HTML writes the picture as a page that needs nothing else.
func (c *Chart) HTML(w io.Writer) error {
	var svg strings.Builder
	if err := c.SVG(&svg); err != nil {
		return err
	}
	_, picture, _ := strings.Cut(svg.String(), "?>") // a page has no XML declaration in the middle
	title := html.EscapeString(terminal.Escape(c.Title))
	_, err := fmt.Fprintf(w, "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>%s</title></head>\n<body>\n%s\n</body>\n</html>\n", title, strings.TrimSpace(picture))
	return err
}

// Draw draws the chart on a canvas: pods above, traffic below, on the same axis.
func (c *Chart) Draw(canvas draw.Canvas) error {
	pods, err := c.podsPlot()
	if err != nil {
		return err
	}
	canvas = draw.Crop(canvas, 0, -legendWidth, 0, 0)
	if c.Traffic == nil {
		pods.X.Label.Text = "time"
		pods.Draw(canvas)
		return nil
	}
	traffic, err := c.trafficPlot()
	if err != nil {
		return err
	}
	top, bottom := draw.Crop(canvas, 0, 0, trafficHeight, 0), draw.Crop(canvas, 0, 0, 0, -podsHeight)
	left := max(labelWidth(pods), labelWidth(traffic))
	pods.Draw(draw.Crop(top, left-labelWidth(pods), 0, 0, 0))
	traffic.Draw(draw.Crop(bottom, left-labelWidth(traffic), 0, 0, 0))
	return nil
}

// labelWidth returns how much room the left of a plot takes.
func labelWidth(p *plot.Plot) vg.Length {
	width := vg.Length(0)
	for _, tick := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		width = max(width, p.Y.Tick.Label.Width(tick.Label))
	}
	return width
}

// highest returns the largest number of pods, or bound.
func (c *Chart) highest() float64 {
	most := c.most()
	for _, b := range c.Bounds {
		most = max(most, b.Value)
	}
	return most
}

func (c *Chart) podsPlot() (*plot.Plot, error) {
	p, err := c.plot(c.highest()+0.5, c.Pods, colors)
	if err != nil {
		return nil, err
	}
	p.Title.Text = c.Title
	p.Y.Label.Text = "pods"
	if err := c.nameSpans(p); err != nil {
		return nil, err
	}
	for _, b := range c.Bounds {
		line, err := plotter.NewLine(plotter.XYs{{X: 0, Y: b.Value}, {X: c.End.Seconds(), Y: b.Value}})
		if err != nil {
			return nil, err
		}
		line.LineStyle = draw.LineStyle{Color: gray, Width: vg.Points(1), Dashes: []vg.Length{vg.Points(4), vg.Points(3)}}
		p.Add(line)
		p.Legend.Add(b.Name, line)
	}
	return p, nil
}

// nameSpans writes the names of the spans at their tops.
func (c *Chart) nameSpans(p *plot.Plot) error {
	if len(c.Spans) == 0 {
		return nil
	}
	var names plotter.XYLabels
	for _, s := range c.Spans {
		names.XYs = append(names.XYs, plotter.XY{X: s.From.Seconds(), Y: p.Y.Max})
		names.Labels = append(names.Labels, s.Name)
	}
	labels, err := plotter.NewLabels(names)
	if err != nil {
		return err
	}
	labels.Offset = vg.Point{X: vg.Points(2), Y: -vg.Points(10)}
	for i := range labels.TextStyle {
		labels.TextStyle[i].Color = gray
		labels.TextStyle[i].Font.Size = vg.Points(9)
	}
	p.Add(labels)
	return nil
}

func (c *Chart) trafficPlot() (*plot.Plot, error) {
	p, err := c.plot(105, []Series{*c.Traffic}, colors[2:])
	if err != nil {
		return nil, err
	}
	p.X.Label.Text, p.Y.Label.Text = "time", "percent"
	return p, nil
}

// plot returns a plot of series with the spans behind them.
func (c *Chart) plot(most float64, list []Series, colors []color.Color) (*plot.Plot, error) {
	p := plot.New()
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, max(c.End.Seconds(), 1), 0, most
	p.X.Tick.Marker = plot.TickerFunc(timeTicks)
	p.Y.Tick.Marker = plot.TickerFunc(wholeTicks)
	p.Legend.Top, p.Legend.XOffs, p.Legend.Padding = true, legendWidth-vg.Points(4), vg.Points(2)
	for _, s := range c.Spans {
		area, err := plotter.NewPolygon(plotter.XYs{
			{X: s.From.Seconds(), Y: 0}, {X: s.To.Seconds(), Y: 0}, {X: s.To.Seconds(), Y: most}, {X: s.From.Seconds(), Y: most},
		})
		if err != nil {
			return nil, err
		}
		area.Color, area.LineStyle.Width = shaded, 0
		p.Add(area)
	}
	for i, s := range list {
		line, err := plotter.NewLine(c.steps(&s))
		if err != nil {
			return nil, err
		}
		line.StepStyle = plotter.PostStep
		line.LineStyle = draw.LineStyle{Color: colors[i%len(colors)], Width: vg.Points(2)}
		p.Add(line)
		p.Legend.Add(s.Name, line)
	}
	return p, nil
}

// steps returns the points of a series from 0 to the end.
func (c *Chart) steps(s *Series) plotter.XYs {
	points := plotter.XYs{{X: 0, Y: s.at(0)}}
	for _, p := range s.Points {
		points = append(points, plotter.XY{X: p.At.Seconds(), Y: p.Value})
	}
	return append(points, plotter.XY{X: c.End.Seconds(), Y: s.last()})
}

// timeTicks puts labels such as 1m30s at round times.
func timeTicks(least, most float64) []plot.Tick {
	const labels = 8
	step := 1.0
	for _, candidate := range []float64{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 6 * 3600, 86400} {
		step = candidate
		if (most-least)/candidate <= labels {
			break
		}
	}
	return ticks(least, most, step, func(v float64) string {
		text := (time.Duration(v) * time.Second).String()
		if strings.HasSuffix(text, "m0s") {
			text = strings.TrimSuffix(text, "0s")
		}
		if strings.HasSuffix(text, "h0m") {
			text = strings.TrimSuffix(text, "0m")
		}
		return text
	})
}

// wholeTicks puts labels at whole numbers.
func wholeTicks(least, most float64) []plot.Tick {
	const labels = 8
	step := 1.0
	for i := 0; (most-least)/step > labels; i++ {
		step *= []float64{2, 2.5, 2}[i%3] // 1, 2, 5, 10 and so on
	}
	return ticks(least, most, step, func(v float64) string { return fmt.Sprint(int64(v)) })
}

func ticks(least, most, step float64, label func(float64) string) []plot.Tick {
	var list []plot.Tick
	for i := 0; least+float64(i)*step <= most; i++ {
		v := least + float64(i)*step
		list = append(list, plot.Tick{Value: v, Label: label(v)})
	}
	return list
}
