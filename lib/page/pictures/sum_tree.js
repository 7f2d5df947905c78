// The tree of a sum: its terms are leaves, and each partial sum stands above what it adds. `tree` is the data of
// lib/batch/tree_picture; `kind` is 'first' or 'second', `label` describes the picture in words. The pointer finds the
// nearest sum or leaf; ← → go from one to the next, in the order in which the terms are added. `tell` is called with
// what is told of it, or with '' when the pointer leaves.
function sumTree(host, tree, {kind, label, tell}) {
  const height = 184;
  const [svg, width] = sheet(host, height, label);
  const base = height - 42;
  const ceiling = 30;
  const slot = width / tree.leaves.length;
  const nodes = tree.leaves.map((leaf, i) => ({...leaf, x: (i + 0.5) * slot, level: base, leaves: [i]}));
  for (const sum of tree.sums) {
    const below = sum.of.map(number => nodes[number]);
    const x = below.reduce((total, node) => total + node.x, 0) / below.length;
    const level = base - (base - ceiling) * sum.y;
    nodes.push({...sum, x, level, leaves: below.flatMap(node => node.leaves), below});
  }
  const dense = slot < 14 || nodes.length > 15;
  const branches = draw(svg, 'g');
  for (const node of nodes) {
    for (const child of node.below ?? []) {
      draw(branches, 'path', {d: `M${child.x},${child.level}V${node.level}H${node.x}`, class: 'branch'});
    }
  }
  const lit = draw(svg, 'g');
  const texts = tree.leaves.map((leaf, i) => writeLeaf(leaf, nodes[i].x));
  for (const node of nodes.slice(tree.leaves.length)) symbol(svg, node.x, node.level, kind, dense ? 3 : 5);
  const root = nodes.at(-1);
  const end = root.x > width - 80 ? 'end' : 'middle';
  symbol(svg, root.x, root.level, kind, dense ? 5 : 7);
  write(svg, root.x, root.level - 14, `= ${tree.result}`, `value strong halo text-${kind}`, end);
  const reach = draw(svg, 'rect', {x: 0, y: 0, width, height, class: 'reach'});
  follow();

  // Where the leaves stand close, only some room is left for what they are: a tick, told by the cursor.
  function writeLeaf(leaf, x) {
    const look = leaf.zero ? 'quiet' : leaf.moved ? 'strong moved text-differ' : 'strong';
    if (slot < 31) return [draw(svg, 'path', {d: `M${x},${base}v7`, class: leaf.zero ? 'branch' : 'tick'})];
    const name = slot < 44 ? leaf.name.replace('w·', '') : leaf.name;
    const texts = [write(svg, x, base + 17, name, `leaf ${look}`, 'middle')];
    if (slot >= 44) texts.push(write(svg, x, base + 34, leaf.text, 'value quiet', 'middle'));
    return texts;
  }

  function follow() {
    const order = [...nodes.keys()].filter(i => nodes[i].below).concat([...tree.leaves.keys()]);
    const attributes = {tabindex: 0, role: 'slider', 'aria-label': `${label} Operation by operation`};
    Object.entries({...attributes, 'aria-valuemin': 1, 'aria-valuemax': order.length}).forEach(([name, value]) => {
      host.setAttribute(name, value);
    });
    let place = -1;
    describe(0);
    reach.onpointermove = point;
    reach.onpointerdown = point;
    reach.onpointerleave = event => {
      if (event.pointerType === 'mouse' && !hasFocus(host)) moveTo(-1);
    };
    host.onblur = () => moveTo(-1);
    host.onkeydown = event => {
      const to = stepped(event, place, order.length - 1);
      if (to !== null) moveTo(to);
    };

    function point(event) {
      const box = svg.getBoundingClientRect();
      const [x, y] = [event.clientX - box.left, event.clientY - box.top];
      const away = i => (nodes[i].x - x) ** 2 + (nodes[i].level - y) ** 2;
      moveTo(order.reduce((best, i, at) => (away(i) < away(order[best]) ? at : best), 0));
    }

    function describe(at) {
      host.setAttribute('aria-valuenow', at + 1);
      host.setAttribute('aria-valuetext', nodes[order[at]].told);
    }

    function moveTo(to) {
      if (to === place) return;
      place = to;
      lit.replaceChildren();
      texts.flat().forEach(text => text.classList.remove('lit-leaf'));
      tell(to < 0 ? '' : nodes[order[to]].told);
      if (to < 0) return;
      describe(to);
      light(nodes[order[to]]);
    }
  }

  // The branches below a sum, and its leaves.
  function light(node) {
    for (const child of node.below ?? []) {
      const d = `M${child.x},${child.level}V${node.level}H${node.x}`;
      draw(lit, 'path', {d, class: `branch lit stroke-${kind}`});
      light(child);
    }
    if (!node.below) texts[node.leaves[0]].forEach(text => text.classList.add('lit-leaf'));
  }
}
