// One of two trees of a sum: joins stand above what they add. `tree` is a Tree of lib/batch/tree_picture. `look` has the
// `kind` of the side, how many steps are `done`, the number of the step `lit`, and the `result` as a text.
const {set, shape, write, writeInside, rule, sheet, symbol} = await import('./kit.js' + new URL(import.meta.url).search);

export function sumTree(host, {nodes, steps}, {kind, done, lit, result}, label) {
  const height = 166;
  const [svg, width] = sheet(host, height, label);
  const leaves = nodes.filter(node => !node.of.length);
  const slot = width / leaves.length;
  const base = height - (slot < 44 ? 8 : 44); // below it there is room for texts
  const ceiling = 26;
  const longest = Math.max(...leaves.map(leaf => leaf.text.length));
  const size = Math.min(12.5, (slot - 5) / (0.6 * longest)); // of digits, which are 0.6 wide
  const across = node => node.x * width;
  const level = node => base - (base - ceiling) * node.y;
  const stepOf = new Map(steps.map((step, i) => [step.node, i]));
  nodes.forEach((node, i) => node.of.forEach(addend => {
    const below = nodes[addend];
    const look = stepOf.get(i) < done && !node.shared ? `stroke-${kind}` : '';
    const d = `M${across(below)},${level(below)}V${level(node)}H${across(node)}`;
    shape(svg, 'path', {d, class: `branch ${look}`});
  }));
  nodes.forEach((node, i) => (node.of.length ? drawJoin(node, i) : drawLeaf(node)));

  function drawJoin(node, i) {
    const step = stepOf.get(i);
    const [x, y] = [across(node), level(node)];
    const mark = symbol(svg, x, y, kind, step === lit ? 9 : nodes.length < 24 ? 5.5 : 2.5);
    if (step >= done) set(mark, {class: 'hollow'});
    else if (node.shared) set(mark, {class: 'fill-equal edge'});
    if (step < done && i === nodes.length - 1) writeInside(svg, x, y - 12, result, `value strong text-${kind}`, width);
  }

  function drawLeaf(node) {
    const x = across(node);
    if (slot < 44) return rule(svg, x, base, x, base + 6, 'tick');
    set(write(svg, x, base + 18, node.text, 'value strong', 'middle'), {style: `font-size: ${size}px`});
    write(svg, x, base + 37, node.name.replace(/w·(?:δ\((.*)\)|(.*))/, 'via $1$2'), 'quiet', 'middle');
  }
}
