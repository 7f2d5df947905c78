// Shows a picture by the code that `lend.js` lends, so that a tick sends the picture's data alone. `NAME` is its name.
export default function (component) {
  const shelf = (window.lastBitPictures ??= {});
  const picture = (shelf[NAME] ??= {waiting: new Map()});
  const root = component.parentElement.getRootNode();
  const show = () => {
    if (!root.adoptedStyleSheets.includes(picture.style)) root.adoptedStyleSheets = [picture.style];
    return picture.arrange(component);
  };
  if (picture.arrange) return show();
  picture.waiting.set(root, show);
}
