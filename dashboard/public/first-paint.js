// Before anything is drawn: who chose a theme must not see the other one flash.
try {
  const theme = localStorage.getItem('tillbell.theme')
  if (theme) document.documentElement.dataset.theme = theme
} catch {
  // A browser that keeps nothing has no choice to follow.
}
