// The same sum in two orders, two trees side by side, and the float line on which both end. *Play* adds in both orders at
// once. `data` is a BatchDrawing of lib/batch/drawing.
const query = new URL(import.meta.url).search;
const {SIGN, keepDrawn, parts, player} = await import('./kit.js' + query);
const {sumTree} = await import('./sum_tree.js' + query);
const {floatLine} = await import('./float_line.js' + query);

const PARTS = `
  <div class="trees">
    <section><h2></h2><div class="tree"></div></section>
    <section><h2></h2><div class="tree"></div></section>
  </div>
  <p class="quiet about" aria-hidden="true"></p>
  <div class="clock"></div>
  <h2 class="title"></h2>
  <div class="line"></div>`;
const LONGEST = 6000; // milliseconds of a whole addition

export const draw = ({parentElement, data: {sides, line, about, title}}) => {
  const root = parentElement.querySelector('.batch');
  const find = parts(root, PARTS);
  const trees = root.querySelectorAll('.tree');
  const headings = root.querySelectorAll('.trees h2');
  const steps = sides.map(({tree}) => tree?.steps ?? []);
  const last = Math.max(...steps.map(walk => walk.length));
  const name = title + sides.map(({label}) => label);
  if (root.name !== name) root.clock = {};
  root.name = name;

  find('.title').textContent = title;
  find('.trees').hidden = !last;
  sides.forEach(({kind, heading}, i) => {
    headings[i].textContent = `${SIGN[kind]} ${heading}`;
    headings[i].className = `text-${kind}`;
  });
  keepDrawn(root, () => {
    if (line) floatLine(find('.line'), line, line.label);
    else find('.line').replaceChildren();
    player(find('.clock'), root.clock, {last, pace: Math.min(600, LONGEST / last), label: 'Operation by operation', show: drawSteps});
  });
  // Both sums after so many steps; returns what the last one did.
  function drawSteps(count) {
    const done = Math.floor(count);
    const lit = count && count < last ? Math.ceil(count) - 1 : null;
    sides.forEach(({tree, kind, result, label}, i) => {
      if (tree) sumTree(trees[i], tree, {kind, done, lit, result}, label);
    });
    const texts = sides.map(({kind}, i) => steps[i][lit] && `${SIGN[kind]} ${steps[i][lit].text}`);
    return (find('.about').textContent = texts.filter(Boolean).join('; ') || about);
  }
};
