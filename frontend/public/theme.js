// Paints the theme of last time before the first frame, so that a dark panel does not flash. The panel's own script
// (src/lib/domain/theme.ts) then asks which theme is set.
(function () {
  var theme = 'sunlit';
  try {
    theme = localStorage.getItem('kuang-theme') || theme;
  } catch (e) {
    // A shell without storage starts in the default theme.
  }
  if (theme === 'system') theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'midnight' : 'sunlit';
  document.documentElement.dataset.theme = theme;
})();
