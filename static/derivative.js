// The derivatives at one x, autograd's and a formula's, on the float line and as bits. `data` is a DerivativeDrawing of
// lib/derivative/drawing.
const query = new URL(import.meta.url).search;
const {keepDrawn, parts} = await import('./kit.js' + query);
const {drawBits} = await import('./bits.js' + query);
const {floatLine} = await import('./float_line.js' + query);

const PARTS = `
  <h2 class="title"></h2>
  <div class="line"></div>
  <p class="note"></p>
  <h2 class="bits-heading"></h2>
  <div class="two-results"></div>`;

export const draw = ({parentElement, data}) => {
  const root = parentElement.querySelector('.derivative');
  const find = parts(root, PARTS);
  const {title, note, label, bits} = data;
  keepDrawn(root, () => {
    find('.title').textContent = title;
    find('.note').textContent = note;
    floatLine(find('.line'), data, label);
    const write = ({heading}) => { find('.bits-heading').textContent = heading; };
    write(bits);
    drawBits(find('.two-results'), bits, write);
  });
};
