package dev.mininccl.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
final class ServicesTest {

    @Test
    void leavesOutWhatCannotBeMade() {
        Iterator<String> names = List.of("shm", "broken", "tcp").iterator();
        Iterator<String> providers = new Iterator<>() {
            @Override
            public boolean hasNext() {
                return names.hasNext();
            }

            @Override
            public String next() {
                String name = names.next();
                if (name.equals("broken")) {
                    throw new ServiceConfigurationError("broken: no default constructor");
                }
                return name;
            }
        };
        assertThat(Services.sorted(providers, Comparator.reverseOrder())).containsExactly("tcp", "shm");
    }

    @Test
    void givesUpOnALoaderThatOnlyFails() {
        Iterator<String> providers = new Iterator<>() {
            @Override
            public boolean hasNext() {
                throw new ServiceConfigurationError("unreadable");
            }

            @Override
            public String next() {
                throw new AssertionError("nothing was promised");
            }
        };
        assertThat(Services.sorted(providers, Comparator.naturalOrder())).isEmpty();
    }
}
