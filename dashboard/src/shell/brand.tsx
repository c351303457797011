/** The bell of a till. */
export function BrandMark() {
  return (
    <svg viewBox="0 0 32 32" className="size-7 shrink-0" aria-hidden="true">
      <rect width="32" height="32" rx="8" className="fill-button" />
      <path d="M7 21a9 9 0 0 1 18 0z" fill="#fff" />
      <path d="M6 23.5h20M16 11V8.5" stroke="#fff" strokeWidth="2.5" strokeLinecap="round" />
      <circle cx="16" cy="7.5" r="1.75" fill="#fff" />
    </svg>
  )
}
