/* call_values.js - the arguments and results of calls, if the trace has them: their text, and conditions on them. */

/* Returns "(n=3, name=\"x\") = 5" for an item with values, else "". */
function valuesText(data, i) {
	const values = data.values && data.values.get(i);
	if (!values)
		return "";
	const named = values.filter(([name]) => name), result = values.find(([name]) => !name);
	return (named.length ? "(" + named.map(([name, text]) => name + "=" + text).join(", ") + ")" : "") + (result ? " = " + result[1] : "");
}

/* Returns a number for "-3", "0x1f" or "1.5", else NaN. */
function valueNumber(text) {
	return /^-?0x/.test(text) ? (text[0] === "-" ? -1 : 1) * Number(text.replace("-", "")) : text === "" ? NaN : Number(text);
}

/* Returns a test for a call's values if @text is a condition such as n>100, name="x" or result!=0, else null. */
function valueCondition(text) {
	const found = text.match(/^\s*([A-Za-z_]\w*)\s*(<=|>=|!=|==?|<|>)\s*(.+?)\s*$/);
	if (!found)
		return null;
	const name = found[1] === "result" ? "" : found[1], wanted = found[3], plain = wanted.replace(/^"(.*)"$/, "$1");
	const compare = { "<": (a, b) => a < b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, ">=": (a, b) => a >= b }[found[2]], differs = found[2] === "!=";
	return (values) => values.some(([one, shown]) => {
		if (one !== name)
			return false;
		if (compare)
			return compare(valueNumber(shown), valueNumber(wanted));
		const same = shown === wanted || shown.replace(/^"(.*)"$/, "$1") === plain || valueNumber(shown) === valueNumber(wanted);
		return same !== differs;
	});
}
