import { type ReactNode, useId } from 'react'

interface ProgressProps {
  readonly label: ReactNode
  readonly done: number
  readonly of: number
}

export function Progress({ label, done, of }: ProgressProps) {
  const id = useId()
  return (
    <div>
      <div className="mb-1 flex justify-between gap-4">
        <label htmlFor={id}>{label}</label>
        <span className="text-soft tabular-nums">
          {done} / {of}
        </span>
      </div>
      <progress
        id={id}
        value={done}
        max={Math.max(of, 1)}
        className="block h-2 w-full appearance-none overflow-hidden rounded-full bg-hover [&::-moz-progress-bar]:bg-button [&::-webkit-progress-bar]:bg-hover [&::-webkit-progress-value]:bg-button"
      />
    </div>
  )
}
