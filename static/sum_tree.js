// One of two trees of a sum: joins stand above what they add. `tree` is the data of lib/batch/tree_picture. `look` has the
// `kind` of the side, how many steps are `done`, the number of the one `lit`, and the `result` as a text.
const {shape, write, writeInside, rule, sheet, symbol} = await import('./kit.js' + new URL(import.meta.url).search);

export function sumTree(host, {nodes, steps}, look, label) {
  const height = 166;
  const [svg, width] = sheet(host, height, label);
  const [base, ceiling] = [height - 44, 26];
  const slot = width / nodes.filter(node => !node.of.length).length;
  const few = nodes.length < 24;
  const longest = Math.max(...nodes.map(node => node.of.length ? 0 : node.text.length));
  const size = {style: `font-size: ${Math.min(12.5, (slot - 5) / (0.6 * longest))}px`}; // of digits, which are 0.6 wide
  const across = x => x * width;
  const level = y => base - (base - ceiling) * y;
  const stepOf = new Map(steps.map((step, i) => [step.node, i]));
  nodes.forEach(({of, shared, x, y}, above) => of.forEach(below => {
    const added = !stepOf.has(above) || stepOf.get(above) < look.done;
    const d = `M${across(nodes[below].x)},${level(nodes[below].y)}V${level(y)}H${across(x)}`;
    shape(svg, 'path', {d, class: `branch ${added && !shared ? `stroke-${look.kind}` : ''}`});
  }));
  nodes.forEach((node, i) => {
    const {of, shared, name, text} = node;
    const [x, y, number] = [across(node.x), level(node.y), stepOf.get(i)];
    if (of.length) {
      const mark = symbol(svg, x, y, look.kind, number === look.lit ? 9 : few ? 5.5 : 2.5);
      if (shared) mark.setAttribute('class', 'fill-equal edge');
      if (number >= look.done) mark.setAttribute('class', 'hollow');
      else if (i === nodes.length - 1) writeInside(svg, x, y - 12, look.result, `value strong text-${look.kind}`, width);
    } else if (slot < 31) rule(svg, x, base, x, base + 6, 'tick');
    else {
      if (slot >= 44) write(svg, x, base + 18, text, 'value strong', 'middle', size);
      write(svg, x, base + (slot < 44 ? 18 : 37), name.replace(/w·(?:δ\((.*)\)|(.*))/, 'via $1$2'), 'quiet', 'middle');
    }
  });
}
