// Finds texts whose contrast with what is behind them is below 4.5, as WCAG 2.2 computes it.
(() => {
	const parse = (c) => c.match(/[\d.]+/g).map(Number);
	const light = (c) => {
		const [r, g, b] = c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const behind = (e) => {
		for (; e; e = e.parentElement) {
			const c = parse(getComputedStyle(e).backgroundColor);
			if (c.length < 4 || c[3] === 1) return c.slice(0, 3);
		}
		return [255, 255, 255];
	};
	const bad = new Set();
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (texts.nextNode()) {
		const e = texts.currentNode.parentElement;
		if (!texts.currentNode.data.trim() || e.closest("noscript, meter, [aria-hidden]") || !e.getClientRects().length) continue;
		const a = light(parse(getComputedStyle(e).color).slice(0, 3)), b = light(behind(e));
		const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (contrast < 4.5) bad.add(e.className + " " + texts.currentNode.data.trim().slice(0, 20) + " " + contrast.toFixed(2));
	}
	return [...bad];
})()
