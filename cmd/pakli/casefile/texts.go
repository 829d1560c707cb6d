package casefile

import (
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/verifier/report"
)

var languages = texts.ByTag()

func withTexts(l report.Language) report.Language {
	l.Language = l.WithTexts(languages[l.Tag])
	return l
}

// texts are those of the folder's README and of key.txt.
var texts = scene.Texts{
	"about.table": {"CASE FILE\nTable {id}", "AKTE\nTisch {id}", "ÜGYIRAT\nAsztal: {id}"},
	"about.event": {"CASE FILE\nEvent {name}, {id}", "AKTE\nWettbewerb {name}, {id}", "ÜGYIRAT\nVerseny: {name}, {id}"},
	"running": {"NOTE: it was still being played when this folder was made. Make another one when it is over; what is proved here stays proved.",
		"ACHTUNG: Als dieser Ordner entstand, wurde noch gespielt. Nach dem Ende ist ein neuer nötig; was hier bewiesen ist, bleibt bewiesen.",
		"FIGYELEM: a mappa készítésekor még tartott a játék. A vége után újat kell készíteni; ami itt bizonyított, bizonyított marad."},
	"files": {"What is in this folder\n  summary.html   one page to read and to print\n  {report}   the long report\n  {bundles}   the evidence: what players and the log have signed\n  key.txt   the key of the log, and where it came from\n  version.json   the program that made this folder\n  SHA256SUMS   the hash of every file",
		"Was in diesem Ordner ist\n  summary.html   eine Seite zum Lesen und Drucken\n  {report}   der lange Bericht\n  {bundles}   die Beweise: was Spieler und Protokoll unterschrieben haben\n  key.txt   der Schlüssel des Protokolls, und woher er kam\n  version.json   das Programm, das den Ordner gemacht hat\n  SHA256SUMS   der Hash jeder Datei",
		"Mi van a mappában\n  summary.html   egy oldal, olvasásra és nyomtatásra\n  {report}   a hosszú jelentés\n  {bundles}   a bizonyíték: amit a játékosok és a napló aláírtak\n  key.txt   a napló kulcsa, és hogy honnan való\n  version.json   a program, amely a mappát készítette\n  SHA256SUMS   minden fájl lenyomata"},
	"step.key": {"1. The key. Everything rests on it. Ask somebody you believe, who runs or follows the log, for its key, and not whoever gave you this folder. It must be the one in key.txt, character by character.",
		"1. Der Schlüssel. Auf ihm beruht alles. Den Schlüssel des Protokolls nennt jemand, dem Sie glauben und der es betreibt oder verfolgt – nicht, von wem dieser Ordner ist. Es muss Zeichen für Zeichen der in key.txt sein.",
		"1. A kulcs. Minden ezen nyugszik. A napló kulcsát olyantól kérje, akinek hisz, aki a naplót üzemelteti vagy követi, ne attól, akitől ez a mappa van. Betűről betűre annak kell lennie, ami a key.txt-ben áll."},
	"step.sums": {"2. The files. To see that nothing was changed on the way, note the SHA-256 of the file SHA256SUMS when you receive the folder, and compare later: “sha256sum -c SHA256SUMS” on Linux, “shasum -a 256 -c SHA256SUMS” on a Mac, “Get-FileHash” in PowerShell on Windows.",
		"2. Die Dateien. Damit sich zeigt, wenn unterwegs etwas geändert wurde, halten Sie beim Empfang den SHA-256 der Datei SHA256SUMS fest und vergleichen später: „sha256sum -c SHA256SUMS“ unter Linux, „shasum -a 256 -c SHA256SUMS“ auf dem Mac, „Get-FileHash“ in der PowerShell unter Windows.",
		"2. A fájlok. Hogy kiderüljön, ha útközben valami változott, átvételkor jegyezze fel a SHA256SUMS fájl SHA-256 lenyomatát, és később vesse össze: „sha256sum -c SHA256SUMS” Linuxon, „shasum -a 256 -c SHA256SUMS” Macen, „Get-FileHash” a Windows PowerShellben."},
	"step.verify": {"3. The verdict. Do not take it from this folder: let your own machine work it out. Open the page /verify of any pakli server, enter the key of step 1, and drop the .pakli file there; an event is checked in a terminal. In a terminal, in this folder:\n  {check}\nIt must say what summary.html says.",
		"3. Das Urteil. Nehmen Sie es nicht aus diesem Ordner, sondern lassen Sie Ihren eigenen Rechner rechnen. Öffnen Sie die Seite /verify eines beliebigen pakli-Servers, geben Sie den Schlüssel aus Schritt 1 ein und ziehen Sie die .pakli-Datei hinein; ein Wettbewerb wird im Terminal geprüft. Im Terminal, in diesem Ordner:\n  {check}\nEs muss dasselbe sagen wie summary.html.",
		"3. Az ítélet. Ne ebből a mappából vegye: számoltassa ki a saját gépével. Nyissa meg bármelyik pakli-szerver /verify oldalát, adja meg az 1. lépés kulcsát, és húzza oda a .pakli fájlt; versenyt terminálban lehet ellenőrizni. Terminálban, ebben a mappában:\n  {check}\nAzt kell mondania, amit a summary.html."},
	"second.how": {"4. A second program. Another verifier shares no code with the first: Python, in the folder verifier/second of pakli's source, where its README says what it needs. In this folder:\n  {command}",
		"4. Ein zweites Programm. Ein anderer Prüfer teilt mit dem ersten keinen Code: in Python, im Ordner verifier/second der Quellen von pakli, dessen README sagt, was er braucht. In diesem Ordner:\n  {command}",
		"4. Egy második program. Egy másik ellenőrzőnek nincs közös kódja az elsővel: Pythonban íródott, a pakli forrásának verifier/second mappájában van, a README-je mondja meg, mi kell hozzá. Ebben a mappában:\n  {command}"},
	"second.same": {"The second verifier was asked when this folder was made. Of every table it has the same verdict, with the same result or finding: second-verifier.json.",
		"Der zweite Prüfer wurde gefragt, als dieser Ordner entstand. Über jeden Tisch urteilt er ebenso, mit demselben Ergebnis oder Befund: second-verifier.json.",
		"A második ellenőrző is megvizsgálta a mappa készítésekor. Minden asztalról ugyanaz az ítélete, ugyanazzal az eredménnyel vagy megállapítással: second-verifier.json."},
	"second.differs": {"NOTE: the second verifier does not say the same (second-verifier.json). It says:\n  {said}\nOne of the two programs is wrong, or cannot check this; decide nothing before that is known.",
		"ACHTUNG: Der zweite Prüfer sagt etwas anderes (second-verifier.json), nämlich:\n  {said}\nEines der beiden Programme irrt oder kann das nicht prüfen; entscheiden Sie nichts, bevor das geklärt ist.",
		"FIGYELEM: a második ellenőrző mást mond (second-verifier.json), ezt:\n  {said}\nA két program egyike téved, vagy ezt nem tudja ellenőrizni; amíg ez nem tisztázott, ne döntsön."},
	"second.result":  {"; result {result}", "; Ergebnis {result}", "; eredmény: {result}"},
	"second.finding": {"; against seat {seat}, at entry {entry}", "; gegen Platz {seat}, in Eintrag {entry}", "; {seat} hely, {entry}. bejegyzés"},
	"second.unread": {"NOTE: what the second verifier says (second-verifier.json) cannot be compared with the verdict of this folder; decide nothing before somebody has read it. It says:\n  {said}",
		"ACHTUNG: Was der zweite Prüfer sagt (second-verifier.json), lässt sich mit dem Urteil dieses Ordners nicht vergleichen; entscheiden Sie nichts, bevor es jemand gelesen hat. Er sagt:\n  {said}",
		"FIGYELEM: amit a második ellenőrző mond (second-verifier.json), nem vethető össze a mappa ítéletével; amíg valaki el nem olvasta, ne döntsön. Ezt mondja:\n  {said}"},
	"limits": {"What this folder cannot show: whether two players told each other their cards, whether somebody meant well, why a seat was silent. That a card which nobody opened was held by somebody cannot be a finding.",
		"Was dieser Ordner nicht zeigen kann: ob zwei Spieler einander ihre Karten gesagt haben, ob jemand es gut gemeint hat, warum ein Platz geschwiegen hat. Dass jemand eine Karte hatte, die niemand geöffnet hat, kann kein Befund sein.",
		"Amit ez a mappa nem mutathat meg: hogy két játékos elmondta-e egymásnak a lapjait, hogy valaki jóhiszemű volt-e, hogy egy hely miért hallgatott. Hogy valakinél olyan lap volt, amelyet senki sem nyitott meg, nem lehet megállapítás."},
	"key.given":    {"This key was given by whoever made the case (--log).", "Diesen Schlüssel hat angegeben, wer die Akte gemacht hat (--log).", "Ezt a kulcsot az ügyirat készítője adta meg (--log)."},
	"key.policy":   {"This key is from a policy that was given by whoever made the case.", "Dieser Schlüssel ist aus einer Richtlinie, die angegeben hat, wer die Akte gemacht hat.", "Ez a kulcs az ügyirat készítője által megadott szabályzatból való."},
	"key.server":   {"This key is what the server at {url} says, and nobody else has confirmed it: do step 1 of README.txt.", "Diesen Schlüssel nennt der Server unter {url}, und sonst hat ihn niemand bestätigt: Schritt 1 in README.txt ist nötig.", "Ezt a kulcsot a(z) {url} címen lévő szerver mondja, más nem erősítette meg: végezze el a README.txt 1. lépését."},
	"key.cosigner": {"Cosigner of the policy: {key}", "Mitzeichner der Richtlinie: {key}", "A szabályzat társaláírója: {key}"},
	"made":         {"The case is in {folder}: begin with README.txt.", "Die Akte ist in {folder}: Anfang ist README.txt.", "Az ügyirat itt van: {folder}; kezdje a README.txt fájllal."},
}
