import type { ReactNode } from 'react'

export function Said({ title, children }: { readonly title: ReactNode; readonly children?: ReactNode }) {
  return (
    <>
      <p className="font-medium">{title}</p>
      <div className="text-[0.8125rem] text-soft">{children}</div>
    </>
  )
}

export function Line({ children }: { readonly children: ReactNode }) {
  return <div>{children}</div>
}

export function inMs(durationMs: number | null): string | null {
  return durationMs === null ? null : `${durationMs} ms`
}
