// Package browser tests the pages in a real Chromium: four browsers at one table, tabs,
// browsers and servers that are killed, a server that lies, and what each page shows.
//
// There is nothing but tests here. Where there is no Chromium they are skipped; with
// PAKLI_BROWSER=required they fail instead. PAKLI_BROWSER_PATH names another program.
// PAKLI_TESTS=thorough adds the tests that .ci/run leaves out, and
// PAKLI_BROWSER_LONG=1 plays the long forms: more kills, each page in each
// language, axe-core at each width and colour, a deal of tarokk by keyboard.
// Tests run side by side, each with a server and a browser context of its own.
//
// How pages look is measured, not compared with pictures: what is too wide, contrasts by
// computed colours, targets for fingers, the ring of the focus, names in the accessibility
// tree, and what axe-core finds (axe/, as its makers publish it).
//
// An evening of a club over a bad network, in one command:
//
//	PAKLI_TESTS=thorough PAKLI_BROWSER_LONG=1 PAKLI_BROWSER_PICTURES=/tmp/trial go test -C internal/trials/browser -run TestTrial -v -timeout 30m
//
// plays a deal of tarokk with a delay of 200 ms each way and one answer in a hundred lost, and
// writes what the players saw into the folder; without the variables a short one.
//
// The pages are served by the test itself (front), which passes everything else on to a
// pakli serve of its own: it is the browser's proxy too, so it sees every request, may
// answer falsely, and notes what each seat posts.
package browser
