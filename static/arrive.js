// Scrolls the page to where it stands: to what has just been opened from another tab.
export const draw = ({parentElement}) => parentElement.querySelector('.arrive').scrollIntoView();
