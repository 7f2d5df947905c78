// One of two trees of a sum: leaves stay where they are, joins stand above what they add. `tree` is the data of
// lib/batch/tree_picture; `nodes` are its nodes as they stand now, with `from` and `to`, the ends of their branches, in
// the tree's own measure. `look` has the `kind` of the side, the width of a float, `unit`, how many `steps` are done, and
// the number of the step that is `lit`.
function sumTree(host, tree, nodes, look, label) {
  const height = 186;
  const [svg, width] = sheet(host, height, label);
  const [base, ceiling] = [height - 64, 22];
  const slot = width / tree.nodes.filter(node => !node.of.length).length;
  const few = tree.nodes.length < 24;
  const across = x => x * width;
  const level = y => base - (base - ceiling) * y;
  const stepOf = new Map(tree.steps.map((step, i) => [step.node, i]));
  for (const {x, y, toX, toY, above, moves} of nodes) {
    if (above === null) continue;
    const done = !stepOf.has(above) || stepOf.get(above) < look.steps;
    const hue = moves ? 'stroke-differ' : done && !tree.nodes[above].shared ? `stroke-${look.kind}` : '';
    draw(svg, 'path', {d: `M${across(x)},${level(y)}V${level(toY)}H${across(toX)}`, class: `branch ${hue}`});
  }
  nodes.forEach((node, i) => {
    const {of, shared, name, text} = tree.nodes[i];
    const [x, y, number] = [across(node.x), level(node.y), stepOf.get(i)];
    const step = tree.steps[number];
    if (step && number < look.steps && !node.moves) drawBar(step, x, y - (of.length ? 10 : -4), number === look.lit);
    if (of.length) {
      const mark = symbol(svg, x, y, look.kind, few ? 5.5 : 2.5);
      if (shared) mark.setAttribute('class', 'fill-equal edge');
      if (number >= look.steps) mark.setAttribute('class', 'hollow');
    } else if (slot < 31) rule(svg, x, base, x, base + 6, 'tick');
    else {
      write(svg, x, base + 19, slot < 50 ? name.replace('w·', '') : name, 'strong', 'middle');
      if (slot >= 44) write(svg, x, base + 36, text, 'value quiet', 'middle');
    }
  });
  let left = 0; // what is rounded beside the sums
  tree.steps.forEach((step, number) => {
    if (step.node !== null || number >= look.steps) return;
    const text = write(svg, left, height - 2, `${step.name} ${step.off}`, 'quiet');
    left += text.getComputedTextLength() + 8;
    const long = Math.abs(step.to - step.from) * look.unit;
    box(svg, left, height - 10, long, 7, `fill-${look.kind}`);
    left += long + 20;
  });

  // The rounding of a join, to the left or to the right of it, as long as on the float line.
  function drawBar({from, to, off}, x, y, lit) {
    const long = Math.abs(to - from) * look.unit;
    const start = to < from ? x - long : x;
    box(svg, start, y - 7, long, few || lit ? 7 : 2, `fill-${look.kind} ${lit ? 'lit' : ''}`);
    if (few && from !== to) write(svg, to < from ? start - 4 : start + long + 4, y, off, 'halo', to < from ? 'end' : 'start');
  }
}

// Where the nodes of a tree stand, each with the end of its branch: that of the node that adds it.
function standing(tree) {
  const nodes = tree.nodes.map(({key, x, y}) => ({key, x, y, toX: x, toY: y, above: null}));
  tree.nodes.forEach((node, above) => node.of.forEach(below => {
    Object.assign(nodes[below], {above, toX: node.x, toY: node.y});
  }));
  return nodes;
}

// One tree on its way to another: the same sum of the same terms is the same node, and the others go in their order. A
// branch that is plugged in elsewhere `moves`.
function between(before, after, share) {
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
