// Why does the batch change it? The same sum in two orders, side by side; below, the float line on which both walks end,
// and the share of components that change, by batch size. *Play* adds in both orders at once. data: {example, stairs},
// that of lib/batch/opening. Sends `pick`, a batch size, and `another`.
const FRAME = `
  <section><h2></h2><div class="host tree"></div></section>
  <section><h2></h2><div class="host tree"></div></section>
  <div class="row both"><p class="quiet about" aria-hidden="true"></p><div class="clock"></div><button class="next">Another example</button></div>
  <section><h2 class="title"></h2><p class="quiet how"></p><div class="host line"></div></section>
  <section><h2 class="of-stairs"></h2><p class="quiet"></p><div class="host stairs"></div></section>`;
const [LONGEST, MORPH] = [6000, 500]; // milliseconds: of a whole addition, and from one tree to another

DRAW.batch = (root, data, act) => {
  const part = parts(root, FRAME);
  const [trees, headings] = ['.tree', 'section:has(.tree) > h2'].map(all => root.querySelectorAll(all));
  part('.next').onclick = () => act('another', 1);
  keepDrawn(root, () => {
    const {example, stairs} = data;
    if (example && changed(root, 'example', example)) take(example);
    root.classList.toggle('waiting', !root.example);
    part('.next').hidden = !root.example;
    if (!root.example) part('.about').textContent = 'Looking for a sum that ends on two floats …';
    part('.of-stairs').textContent = stairs.title;
    part('.of-stairs + p').textContent = stairs.hint;
    if (changed(root, 'stairs', stairs)) drawStairs(part('.stairs'), stairs, size => act('pick', size));
  });

  // Another example is drawn; the same one in another order is what the former order becomes.
  function take(example) {
    const {sides, line, name, title} = example;
    const before = root.example?.name === name ? root.standing : null;
    const after = sides.map(({tree}) => tree && standing(tree));
    const morphs = before && after[1] && JSON.stringify(before) !== JSON.stringify(after);
    const last = line ? Math.max(...line.ways.map(way => way.steps.length)) : 0;
    root.example = example;
    root.clock?.stop?.();
    root.classList.toggle('without', !sides[0].tree);
    part('.title').textContent = title;
    part('.how').textContent = line?.how ?? '';
    sides.forEach(({kind, heading}, i) => {
      headings[i].textContent = `${SIGN[kind]} ${heading}`;
      headings[i].className = `text-${kind}`;
    });
    glide(root, morphs ? MORPH : 0, share => {
      root.standing = after.map((nodes, i) => (morphs ? between(before[i], nodes, share) : nodes));
      drawExample(example, last, last);
    });
    part('.clock').hidden = !line;
    root.clock = {};
    const show = at => drawExample(example, at, last);
    player(part('.clock'), root.clock, {last, pace: Math.min(600, LONGEST / last), label: 'Operation by operation', show});
  }

  // Both sums after so many steps; returns what the last one did.
  function drawExample({sides, line, about}, steps, last) {
    const lit = steps && steps < last ? Math.ceil(steps) - 1 : null;
    const unit = line && part('.line').clientWidth / (line.high - line.low);
    const done = line ? Math.floor(steps) : Infinity;
    sides.forEach(({tree, kind, result, label}, i) => {
      if (tree) sumTree(trees[i], tree, root.standing[i], {kind, done, lit, result}, label);
      else trees[i].replaceChildren();
    });
    const marks = ({kind, steps}) => steps[lit] && `${SIGN[kind]} ${steps[lit].told}`;
    const told = lit === null || !line ? '' : line.ways.map(marks).filter(Boolean).join('; ');
    part('.about').textContent = told || about;
    if (line) drawWalks(part('.line'), line, {unit, steps, lit});
    else part('.line').replaceChildren();
    return told || line?.said;
  }
};
