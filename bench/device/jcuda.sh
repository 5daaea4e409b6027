#!/usr/bin/env bash
# The same driver calls through FFM and through JCuda (JNI), on device 0: jcuda.sh [JMH OPTION...]. Build first, anywhere:
#   mvn -Pjcuda -pl bench/jcuda -am -DskipTests package
# JAVA is a JDK 25's launcher; JARS has jcuda.jar and lib/, and is bench/jcuda/target if not named.
set -eu
jars=${JARS:-$(dirname "$0")/../jcuda/target}
exec "${JAVA:-java}" --enable-native-access=ALL-UNNAMED -jar "$jars/jcuda.jar" -prof gc "$@"
