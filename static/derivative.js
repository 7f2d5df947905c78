// The derivatives at one x on the float line, autograd's and each formula's. `data` is a DerivativeDrawing of
// lib/derivative/explanation.
const query = new URL(import.meta.url).search;
const {keepDrawn, parts} = await import('./kit.js' + query);
const {labelledLine} = await import('./labelled_line.js' + query);

export const draw = ({parentElement, data}) => {
  const root = parentElement.querySelector('.derivative');
  const find = parts(root, '<div class="host line"></div>');
  keepDrawn(root, () => labelledLine(find('.line'), data, data.label));
};
