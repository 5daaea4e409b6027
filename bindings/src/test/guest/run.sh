#!/usr/bin/env bash
# Runs the tests that need an RDMA device in a virtual machine with Soft-RoCE. Compile first: mvn -pl bindings test-compile
#   RXE_VM=…/rxe-vm.sh bindings/src/test/guest/run.sh [TEST_CLASS]
set -euo pipefail
cd "$(dirname "$0")/../../../.."

: "${RXE_VM:?must name rxe-vm.sh, the script that boots the guest}"
exec "$RXE_VM" --timeout 900 --env MINI_NCCL_TEST_LINK=rdma0 --env MAVEN_OPTS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC" \
    -- mvn -B -o -pl bindings toolchains:select-jdk-toolchain@find-jdk-25 surefire:test "-Dtest=${1:-RdmaLoopbackTest,PortEventTest}"
