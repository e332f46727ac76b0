#!/bin/sh
# Fetches the versions of pom.xml into $BUILD/lib, and puts the compiled adapter beside them. Needs Java 17.
set -eu
for program in java javac jar mvn; do
    command -v "$program" >/dev/null || { echo "$program is missing" >&2; exit 1; }
done
mkdir -p "$BUILD/lib" "$BUILD/classes"
mvn --quiet --batch-mode dependency:copy-dependencies -DoutputDirectory="$BUILD/lib" -DincludeScope=runtime
javac --release 17 -cp "$BUILD/lib/*" -d "$BUILD/classes" ../shared/java/Adapter.java NpyAdapter.java
jar --create --file "$BUILD/lib/adapter.jar" -C "$BUILD/classes" .
