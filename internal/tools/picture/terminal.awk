# Prints the lines from the first that begins with `from` up to the next that begins with `to`, in the colours of a
# terminal, a dark one or, with theme=light, a light one. Each is readable on the background of the picture at 4.5 to 1
# or more.

function colour(line) {
	if (line ~ /^=== /) return light ? "5;80;174" : "139;233;253"
	if (line ~ /^    (Error:|- )/) return light ? "164;14;38" : "255;140;140"
	if (line ~ /^    Warning:/) return light ? "125;78;0" : "255;212;121"
	if (line ~ /^    (\+ |Apply complete!|No changes\.)/) return light ? "17;99;41" : "126;231;135"
	if (line ~ /^[^ ]+ \$ ./) return light ? "31;35;40" : "255;255;255"
	if (line ~ /^    /) return light ? "51;58;66" : "201;209;217"
	return light ? "89;99;110" : "165;177;194" # what the demo says around the CLI
}

BEGIN { light = theme == "light" }
index($0, to) == 1 && begun { ended = 1; exit }
index($0, from) == 1 { begun = 1 }
begun { printf "\033[38;2;%sm%s\033[0m\n", colour($0), $0 }
END { if (!ended) { print "no line begins with " to ": the demo has not come that far" >"/dev/stderr"; exit 1 } }
