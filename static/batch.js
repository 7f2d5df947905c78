// The same sum in two orders, two trees side by side; below, the float line on which both walks end. *Play* adds in both
// orders at once. `data` is a BatchDrawing of lib/batch/drawing.
const query = new URL(import.meta.url).search;
const {SIGN, glide, keepDrawn, parts, player} = await import('./kit.js' + query);
const {between, standing, sumTree} = await import('./sum_tree.js' + query);
const {drawWalks} = await import('./walks.js' + query);

const PARTS = `
  <div class="trees">
    <section><h2></h2><div class="host tree"></div></section>
    <section><h2></h2><div class="host tree"></div></section>
  </div>
  <p class="quiet about" aria-hidden="true"></p>
  <div class="clock"></div>
  <h2 class="title"></h2>
  <p class="quiet how"></p>
  <div class="host line"></div>`;
const LONGEST = 6000; // milliseconds of a whole addition
const MORPH = 500; // milliseconds from one tree to another

export const draw = ({parentElement, data}) => {
  const root = parentElement.querySelector('.batch');
  const find = parts(root, PARTS);
  const trees = root.querySelectorAll('.tree');
  const headings = root.querySelectorAll('.trees h2');
  const {sides, line, about, name, title} = data;
  const last = line ? Math.max(...line.ways.map(way => way.steps.length)) : 0;
  const after = sides.map(({tree}) => tree && standing(tree));
  const before = root.name === name ? root.standing : null;
  const text = JSON.stringify(after);
  if (root.text !== text) root.clock = {};
  const morphs = before && after[1] && root.text !== text;
  root.name = name;
  root.text = text;
  root.standing = after;

  find('.title').textContent = title;
  find('.how').textContent = line?.how ?? '';
  find('.trees').hidden = !sides[0].tree;
  find('.clock').hidden = !line;
  sides.forEach(({kind, heading}, i) => {
    headings[i].textContent = `${SIGN[kind]} ${heading}`;
    headings[i].className = `text-${kind}`;
  });
  keepDrawn(root, () => {
    const show = at => drawSteps(at, after);
    player(find('.clock'), root.clock, {last, pace: Math.min(600, LONGEST / last), label: 'Operation by operation', show});
  });
  // The same sum in another order: the former order becomes the new one.
  if (morphs) glide(root, MORPH, share => drawSteps(last, after.map((nodes, i) => between(before[i], nodes, share))));

  // Both sums after so many steps; returns what the last one did.
  function drawSteps(steps, nodes) {
    const lit = steps && steps < last ? Math.ceil(steps) - 1 : null;
    const done = line ? Math.floor(steps) : Infinity;
    sides.forEach(({tree, kind, result, label}, i) => {
      if (tree) sumTree(trees[i], tree, nodes[i], {kind, done, lit, result}, label);
    });
    const marks = ({kind, steps}) => steps[lit] && `${SIGN[kind]} ${steps[lit].told}`;
    const told = lit === null || !line ? '' : line.ways.map(marks).filter(Boolean).join('; ');
    find('.about').textContent = told || about;
    if (line) {
      const unit = find('.line').clientWidth / (line.high - line.low);
      drawWalks(find('.line'), line, {unit, steps, lit});
    } else {
      find('.line').replaceChildren();
    }
    return told || line?.said;
  }
};
