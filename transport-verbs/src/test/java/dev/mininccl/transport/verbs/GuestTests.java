package dev.mininccl.transport.verbs;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs the tests that need a device, in the guest, where starting Maven would take longer than they do. */
final class GuestTests {

    private GuestTests() {}

    public static void main(String[] names) throws ClassNotFoundException {
        LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request();
        for (String name : names) {
            request.selectors(selectClass(Class.forName(qualified(name))));
        }
        TestExecutionSummary summary = run(request.build());
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        summary.printFailuresTo(out);
        out.println("tests found " + summary.getTestsFoundCount() + ", succeeded " + summary.getTestsSucceededCount()
                + ", failed " + summary.getTotalFailureCount() + ", skipped " + summary.getTestsAbortedCount());
        // A device that was not found must not look like success here.
        if (summary.getTestsSucceededCount() == 0
                || summary.getTestsSucceededCount() != summary.getTestsFoundCount()
                || summary.getTotalFailureCount() > 0) {
            throw new AssertionError("not all tests have passed");
        }
    }

    /** Of this package, or of another of the library. */
    private static String qualified(String name) {
        return name.contains(".") ? "dev.mininccl." + name : GuestTests.class.getPackageName() + "." + name;
    }

    private static TestExecutionSummary run(LauncherDiscoveryRequest request) {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request, listener);
        return listener.getSummary();
    }
}
