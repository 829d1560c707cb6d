// Package compose starts docker-compose.yml on a real engine, plays and posts to it from the host, and breaks it: nothing
// that was acknowledged may be lost, and no container may have more than it needs. Where no engine answers, its tests are skipped, as
// NOT RUN.
//
//	internal/trials/compose/standins static && go test -C internal/trials/compose ./...
//
// runs the short form: the server alone, in an image of which only the last stage is built by Docker. With PAKLI_TESTS=thorough and
// all stand-ins the images are also built as the files say, and the rest is run too. standins says what images of other people it
// makes where no registry can be reached, and what they cannot show.
package compose
