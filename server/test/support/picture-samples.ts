// Small pictures for tests, drawn and shown by a real browser: each 3 pixels wide and 2 high.

const inBase64 = {
  png: 'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAACddGYaAAAAFUlEQVR4AWI6zsDQAMIMQMAExHAEAAAA//+L85TuAAAABklEQVQDADgqApPtF9hqAAAAAElFTkSuQmCC',
  jpeg: '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqmx5moq6T/2wBDARweHigjKE4rK06kbl1upKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKT/wAARCAACAAMDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAb/xAAXEAEAAwAAAAAAAAAAAAAAAAAAAQMy/8QAFQEBAQAAAAAAAAAAAAAAAAAAAQL/xAAYEQACAwAAAAAAAAAAAAAAAAAAAQIxMv/aAAwDAQACEQMRAD8Am7NyAFRUtM//2Q==',
  webp: 'UklGRjYAAABXRUJQVlA4ICoAAABwAQCdASoDAAIABABoJaACdAFAAAD+7goiQRK8+JsRfj6Pibu34+AAAAA=',
  webpLossless: 'UklGRiIAAABXRUJQVlA4TBUAAAAvAkAAEA8QcxwDGAyFAAKgoInofzwA',
  webpExtended:
    'UklGRlgAAABXRUJQVlA4WAoAAAAQAAAAAgAAAQAAQUxQSAcAAAAAgIAAgIAAAFZQOCAqAAAAcAEAnQEqAwACAAQAaCWgAnQBQAAA/u4KIkESvPibEX4+j4m7t+PgAAAA',
}

const bytesOf = (name: keyof typeof inBase64) => Buffer.from(inBase64[name], 'base64')

export const pictures = {
  png: { type: 'image/png', bytes: bytesOf('png') },
  jpeg: { type: 'image/jpeg', bytes: bytesOf('jpeg') },
  webp: { type: 'image/webp', bytes: bytesOf('webp') },
  webpLossless: { type: 'image/webp', bytes: bytesOf('webpLossless') },
  webpExtended: { type: 'image/webp', bytes: bytesOf('webpExtended') },
} as const

/** The same PNG, saying that it is of another size. */
export function pngOfSize(width: number, height: number): Buffer {
  const bytes = Buffer.from(pictures.png.bytes)
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}
