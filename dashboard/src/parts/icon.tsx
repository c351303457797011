// Our own few icons: lines of one and a half pixels in a square of twenty. They decorate; words beside them say what they mean.

import { classes } from './classes.ts'

const paths = {
  home: 'M3.5 9 10 3.5l6.5 5.5M5 8v8.5h10V8M8.25 16.5v-5h3.5v5',
  money: 'M2.5 5.5h15v9h-15zM2.5 8.5h15M5.5 12h3',
  people:
    'M7.5 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6M2 16.5c0-3 2.5-4.5 5.5-4.5s5.5 1.5 5.5 4.5M13 3.8a3 3 0 0 1 0 5.4M15 12.4c1.9.6 3 2 3 4.1',
  doubt:
    'M10 17.5a7.5 7.5 0 1 0 0-15 7.5 7.5 0 0 0 0 15M7.8 7.8c0-1.3 1-2.1 2.2-2.1s2.2.8 2.2 2c0 1.6-2.2 1.8-2.2 3.4M10 13.8v.2',
  letter: 'M2.5 4.5h15v11h-15zM3 5l7 6 7-6',
  deliveries: 'M3 10h9M8.5 6l4 4-4 4M14.5 3.5h2.5v13h-2.5',
  code: 'M7 6l-4 4 4 4M13 6l4 4-4 4M11.2 4l-2.4 12',
  offer: 'M3 9.5V3.5h6l8 8-6 6zM6.3 6.8v.1',
  brush: 'M12.5 3.5l4 4-7 7-4-4zM5.5 10.5c-2 0-3 2.5-3 6 3.5 0 6-1 6-3',
  gateway: 'M3 8l7-4.5L17 8M3.5 8h13M5 8v6.5M8.3 8v6.5M11.7 8v6.5M15 8v6.5M3 16.5h14',
  bell: 'M5 13.5V9a5 5 0 0 1 10 0v4.5l1.5 1h-13zM8.5 16.5a1.6 1.6 0 0 0 3 0',
  team: 'M10 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6M4 16.5c0-3 2.5-4.5 6-4.5s6 1.5 6 4.5',
  log: 'M5 2.5h7l3.5 3.5v11.5H5zM11.5 2.8V6.5h3.7M7.8 10h5M7.8 13h5',
  sandbox: 'M8 2.5v5l-4.5 8.2c-.4.9.1 1.8 1 1.8h11c.9 0 1.4-.9 1-1.8L12 7.5v-5M6.8 2.5h6.4M6 12.5h8',
  menu: 'M3 5.5h14M3 10h14M3 14.5h14',
  close: 'M5 5l10 10M15 5L5 15',
  left: 'M12 5l-5 5 5 5',
  right: 'M8 5l5 5-5 5',
  down: 'M5.5 8l4.5 4.5L14.5 8',
  search: 'M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11M13.2 13.2l3.8 3.8',
  copy: 'M7 7h9.5v9.5H7zM13 7V3.5H3.5V13H7',
  check: 'M4 10.5l4 4 8-9',
  cross: 'M5.5 5.5l9 9M14.5 5.5l-9 9',
  wait: 'M10 17.5a7.5 7.5 0 1 0 0-15 7.5 7.5 0 0 0 0 15M10 5.8V10l2.8 1.8',
  warn: 'M10 3l7.5 13.5h-15zM10 8v4M10 14.2v.1',
  dot: 'M10 12.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5',
  plus: 'M10 4v12M4 10h12',
  more: 'M4.5 10v.1M10 10v.1M15.5 10v.1',
  out: 'M8 3.5H3.5v13H8M12.5 6l4 4-4 4M16.5 10h-9',
  external: 'M8 4.5H4v11.5h11.5V12M11 3.5h5.5V9M16 4l-7 7',
  download: 'M10 3v9.5M6 9l4 4 4-4M3.5 16.5h13',
  again: 'M16 10a6 6 0 1 1-1.8-4.3M16.2 2.8v3.4h-3.4',
  key: 'M12.5 11a4 4 0 1 0-3.6-2.3L3 14.5v2.5h3v-2h2v-2l2.2-2.1M13.3 6.7v.1',
} as const

export type IconName = keyof typeof paths

export function Icon({ name, className }: { readonly name: IconName; readonly className?: string }) {
  return (
    <svg
      viewBox="0 0 20 20"
      className={classes('size-[1.125rem] shrink-0', className)}
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' ? 2.5 : 1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  )
}
