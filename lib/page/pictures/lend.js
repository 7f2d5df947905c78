// Lends the code and the style of a picture to the places that show it: they wait for it if they are there before.
// data: {name, style}, of which the name is that of this very code; the picture's own function is called `arrange`.
export default function ({data}) {
  const shelf = (window.lastBitPictures ??= {});
  const picture = (shelf[data.name] ??= {waiting: new Map()});
  if (picture.arrange) return;
  picture.style = new CSSStyleSheet();
  picture.style.replaceSync(data.style);
  picture.arrange = arrange;
  for (const show of picture.waiting.values()) show();
  picture.waiting.clear();
}
