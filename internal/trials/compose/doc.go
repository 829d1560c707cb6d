// Package compose starts docker-compose.yml on a real engine, plays and posts to it from the host,
// and breaks it: no acknowledged entry may be lost, and no container may have more rights than it
// needs. Without an engine its tests are skipped as NOT RUN.
//
//	internal/trials/compose/standins static && go test -C internal/trials/compose ./...
//
// runs the short form: the server alone, in an image of which Docker builds only the last stage. With
// PAKLI_TESTS=thorough and all stand-ins, Docker also builds the images as the files say, and all
// tests run. standins says which images of other people it makes without a registry, and what they
// cannot show.
package compose
