package results

// Languages are the texts by language.
var Languages = languages
