// One of two trees of a sum: joins stand above what they add. `tree` is the data of
// lib/batch/tree_picture; `nodes` are its nodes as they stand now, with `from` and `to`, the ends of their branches, in
// the tree's own measure. `look` has the `kind` of the side, how many steps are `done`, the number of the one `lit`, and
// the `result` as a text.
const {shape, write, writeInside, rule, sheet, symbol} = await import('./kit.js' + new URL(import.meta.url).search);

export function sumTree(host, tree, nodes, look, label) {
  const height = 166;
  const [svg, width] = sheet(host, height, label);
  const [base, ceiling] = [height - 44, 26];
  const slot = width / tree.nodes.filter(node => !node.of.length).length;
  const few = tree.nodes.length < 24;
  const across = x => x * width;
  const level = y => base - (base - ceiling) * y;
  const stepOf = new Map(tree.steps.map((step, i) => [step.node, i]));
  for (const {x, y, toX, toY, above, moves} of nodes) {
    if (above === null) continue;
    const added = !stepOf.has(above) || stepOf.get(above) < look.done;
    const hue = moves ? 'stroke-differ' : added && !tree.nodes[above].shared ? `stroke-${look.kind}` : '';
    shape(svg, 'path', {d: `M${across(x)},${level(y)}V${level(toY)}H${across(toX)}`, class: `branch ${hue}`});
  }
  nodes.forEach((node, i) => {
    const {of, shared, name, text} = tree.nodes[i];
    const [x, y, number] = [across(node.x), level(node.y), stepOf.get(i)];
    if (of.length) {
      const mark = symbol(svg, x, y, look.kind, number === look.lit ? 9 : few ? 5.5 : 2.5);
      if (shared) mark.setAttribute('class', 'fill-equal edge');
      if (number >= look.done) mark.setAttribute('class', 'hollow');
      else if (i === nodes.length - 1) writeInside(svg, x, y - 12, look.result, `value strong text-${look.kind}`, width);
    } else if (slot < 31) rule(svg, x, base, x, base + 6, 'tick');
    else {
      if (slot >= 44) write(svg, x, base + 18, text, 'value strong', 'middle');
      write(svg, x, base + (slot < 44 ? 18 : 37), name.replace(/w·(?:δ\((.*)\)|(.*))/, 'via $1$2'), 'quiet', 'middle');
    }
  });
}

// Where the nodes of a tree stand, each with the end of its branch: that of the node that adds it.
export function standing(tree) {
  const nodes = tree.nodes.map(({key, x, y}) => ({key, x, y, toX: x, toY: y, above: null}));
  tree.nodes.forEach((node, above) => node.of.forEach(below => {
    Object.assign(nodes[below], {above, toX: node.x, toY: node.y});
  }));
  return nodes;
}

// One tree on its way to another: the same sum of the same terms is the same node, and the others go in their order. A
// branch that is plugged in elsewhere `moves`.
export function between(before, after, share) {
  const keys = nodes => new Map(nodes.map((node, i) => [node.key, i]));
  const [old, now] = [keys(before), keys(after)];
  const free = before.filter(node => !now.has(node.key));
  const partners = after.map(node => (old.has(node.key) ? before[old.get(node.key)] : free.shift()) ?? node);
  return after.map((node, i) => {
    const was = partners[i];
    const moves = share < 1 && node.above !== null && before[was.above] !== partners[node.above];
    const place = ['x', 'y', 'toX', 'toY'].map(name => [name, was[name] + (node[name] - was[name]) * share]);
    return {...node, ...Object.fromEntries(place), moves};
  });
}
