export type Log = (event: { level: 'info' | 'warn' | 'error'; text: string }) => void
