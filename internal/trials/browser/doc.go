// Package browser tests the pages in a real Chromium: four browsers at one table, tabs, killed
// browsers and servers, a server that lies, and what each page shows.
//
// The package consists of tests. Without Chromium they are skipped, or fail if
// PAKLI_BROWSER=required. PAKLI_BROWSER_PATH names another program. PAKLI_TESTS=thorough adds the
// tests that .ci/run leaves out, and PAKLI_BROWSER_LONG=1 runs the long forms: more kills, each page
// in each language, axe-core at each width and colour, a deal of tarokk by keyboard. Tests run side
// by side, each with its own server and browser context.
//
// The look of pages is measured, not compared with pictures: overflow, contrasts of computed colours,
// targets for fingers, the focus ring, names in the accessibility tree, and axe-core's findings
// (axe/, as its makers publish it).
//
// A club's evening over a bad network:
//
//	PAKLI_TESTS=thorough PAKLI_BROWSER_LONG=1 PAKLI_BROWSER_PICTURES=/tmp/trial go test -C internal/trials/browser -run TestTrial -v -timeout 30m
//
// plays a deal of tarokk with a delay of 200 ms each way and one answer in a hundred lost, and writes
// what the players saw into the folder. Without the variables it plays a short one.
//
// The test itself serves the pages (front) and passes all other requests on to its own pakli serve.
// It is also the browser's proxy, so it sees every request, may answer falsely, and records what each
// seat posts.
package browser
