package dev.mininccl.cli.perf;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import java.util.Map;

/** Lines over two logarithmic axes: sizes in bytes by powers of two, values by powers of ten. */
final class LogChart {

    private static final String[] COLOURS = {
        "#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22"
    };
    private static final int LEFT = 70;
    private static final int RIGHT = 20;
    private static final int TOP = 26;
    private static final int BOTTOM = 34;

    private final String label;
    private final Map<String, List<double[]>> series;

    LogChart(String label, Map<String, List<double[]>> series) {
        this.label = label;
        this.series = series;
    }

    /** Draws into a band of the picture. */
    void draw(Svg svg, double y, double width, double height) {
        double[] sizes = range(0, 2);
        double[] values = range(1, 10);
        double x0 = LEFT;
        double x1 = width - RIGHT;
        double y0 = y + height - BOTTOM;
        double y1 = y + TOP;
        svg.text(x0, y + TOP - 8, "start", label);
        grid(svg, sizes, values, x0, x1, y0, y1);
        int line = 0;
        for (Map.Entry<String, List<double[]>> entry : series.entrySet()) {
            String colour = COLOURS[line % COLOURS.length];
            double[][] points = entry.getValue().stream()
                    .map(point -> new double[] {at(point[0], sizes, x0, x1), at(point[1], values, y0, y1)})
                    .toArray(double[][]::new);
            svg.polyline(points, colour);
            if (line < COLOURS.length) {
                svg.colouredText(x0 + 10, y1 + 14 + 14.0 * line, entry.getKey(), colour);
            }
            line++;
        }
    }

    private static void grid(Svg svg, double[] sizes, double[] values, double x0, double x1, double y0, double y1) {
        double every = Math.max(1, Math.ceil(Math.log(sizes[1] / sizes[0]) / Math.log(2) / 14));
        for (double size = sizes[0]; size <= sizes[1]; size *= Math.pow(2, every)) {
            double x = at(size, sizes, x0, x1);
            svg.line(x, y0, x, y1);
            svg.text(x, y0 + 16, "middle", ByteSize.text((long) size).replace("iB", ""));
        }
        for (double value = values[0]; value <= values[1] * 1.0001; value *= 10) {
            double y = at(value, values, y0, y1);
            svg.line(x0, y, x1, y);
            svg.text(x0 - 6, y + 4, "end", number(value));
        }
    }

    private static String number(double value) {
        return new BigDecimal(value, new MathContext(6)).stripTrailingZeros().toPlainString();
    }

    /** The powers of a base that enclose all points in one dimension, never equal. */
    private double[] range(int dimension, double base) {
        double least = Double.MAX_VALUE;
        double most = 0;
        for (List<double[]> points : series.values()) {
            for (double[] point : points) {
                least = Math.min(least, point[dimension]);
                most = Math.max(most, point[dimension]);
            }
        }
        if (most == 0) {
            return new double[] {1, base};
        }
        double from = Math.floor(Math.log(least) / Math.log(base) + 1e-9);
        double to = Math.ceil(Math.log(most) / Math.log(base) - 1e-9);
        return new double[] {Math.pow(base, from), Math.pow(base, Math.max(to, from + 1))};
    }

    private static double at(double value, double[] range, double start, double end) {
        return start + (end - start) * Math.log(value / range[0]) / Math.log(range[1] / range[0]);
    }
}
