package dev.mininccl.cli.perf;

import java.util.Locale;

/** The few shapes that a chart needs, as SVG text. */
final class Svg {

    private final StringBuilder text = new StringBuilder();

    Svg(int width, int height) {
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                        + " font-family=\"sans-serif\" font-size=\"11\">",
                width, height, width, height);
        add("<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
    }

    void line(double x1, double y1, double x2, double y2) {
        add("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>", x1, y1, x2, y2);
    }

    void polyline(double[][] points, String colour) {
        StringBuilder list = new StringBuilder();
        for (double[] point : points) {
            list.append(String.format(Locale.ROOT, "%.1f,%.1f ", point[0], point[1]));
            add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"/>", point[0], point[1], colour);
        }
        add(
                "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>",
                list.toString().strip(), colour);
    }

    void text(double x, double y, String anchor, String content) {
        add("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>", x, y, anchor, escaped(content));
    }

    void colouredText(double x, double y, String content, String colour) {
        add("<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\">%s</text>", x, y, colour, escaped(content));
    }

    @Override
    public String toString() {
        return text + "</svg>\n";
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation would be a dependency
    private void add(String form, Object... values) {
        text.append(String.format(Locale.ROOT, form, values)).append('\n');
    }

    private static String escaped(String content) {
        return content.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
