// Scrolls the page to where it stands, to what has just been opened from another tab, and tells that it has `arrived`.
export const draw = ({parentElement, setTriggerValue}) => {
  parentElement.querySelector('.arrive').scrollIntoView();
  setTriggerValue('arrived', true);
};
