/** Shows the progress of an import as a bar on a terminal, otherwise as a line every few seconds. */
import { createRequire } from 'node:module'
import type { ImportAdvance } from '../ingest/import-log.ts'

export interface ProgressOutput {
  advance(progress: ImportAdvance): void
  /** Writes a line that the bar does not overwrite. */
  note(text: string): void
  /** Removes the bar. */
  end(): void
}

export interface ProgressStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean
}

const lineIntervalSeconds = 5
const barIntervalSeconds = 0.1

/** A bar needs a known end, so an import from a pipe shows lines, even on a terminal. */
export function openProgress(stream: ProgressStream): ProgressOutput {
  const lines = progressLines(stream)
  const bar = stream.isTTY === true ? progressBar(stream) : null
  return {
    advance: progress => (bar !== null && progress.bytesTotal !== null ? bar : lines).advance(progress),
    note(text) {
      bar?.clear()
      stream.write(`${text}\n`)
    },
    end() {
      bar?.end()
    },
  }
}

function progressLines(stream: ProgressStream): Pick<ProgressOutput, 'advance'> {
  let nextSeconds = lineIntervalSeconds
  return {
    advance(progress) {
      if (progress.seconds < nextSeconds) return
      nextSeconds = progress.seconds + lineIntervalSeconds
      const { percent, read, speed, left } = figures(progress)
      const parts = [
        progress.name,
        percent,
        read,
        `${progress.lines.toLocaleString('en')} lines`,
        speed,
        left,
      ]
      stream.write(`${parts.filter(part => part !== '').join(', ')}\n`)
    },
  }
}

interface Bar {
  advance(progress: ImportAdvance): void
  clear(): void
  end(): void
}

function progressBar(stream: ProgressStream): Bar {
  // Loaded here, because most imports run without a terminal.
  const { SingleBar } = createRequire(import.meta.url)('cli-progress') as typeof import('cli-progress')
  const bar = new SingleBar({
    stream,
    format: '{bar} {percent} {read} {speed} {left}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 30,
    hideCursor: true,
    clearOnComplete: true,
    fps: 10,
  })
  let started = false
  let nextSeconds = 0
  return {
    advance(progress) {
      if (progress.seconds < nextSeconds) return
      nextSeconds = progress.seconds + barIntervalSeconds
      const total = progress.bytesTotal ?? 0
      if (!started) bar.start(total, progress.bytes, { ...figures(progress) })
      started = true
      // The log may have grown since the import measured it.
      bar.update(Math.min(progress.bytes, total), { ...figures(progress) })
    },
    clear() {
      if (started) stream.write('\r\u001b[K')
    },
    end() {
      if (started) bar.stop()
    },
  }
}

interface Figures {
  readonly percent: string
  readonly read: string
  readonly speed: string
  readonly left: string
}

/** The figures of a progress as text; empty where unknown. */
function figures({ bytes, bytesTotal, lines, seconds }: ImportAdvance): Figures {
  const speed = seconds > 0 ? `${Math.round(lines / seconds).toLocaleString('en')} lines/s` : ''
  if (bytesTotal === null) return { percent: '', read: formatBytes(bytes), speed, left: '' }
  const part = bytesTotal === 0 ? 1 : Math.min(1, bytes / bytesTotal)
  const secondsLeft = part > 0 ? (seconds / part) * (1 - part) : null
  return {
    percent: `${Math.floor(part * 100)}%`,
    read: `${formatBytes(bytes)} of ${formatBytes(bytesTotal)}`,
    speed,
    left: secondsLeft === null ? '' : `${formatDuration(secondsLeft)} left`,
  }
}

const units = ['B', 'KB', 'MB', 'GB', 'TB'] as const

function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}

/** `1:02:03`, `2:03` or `3 s`. */
export function formatDuration(totalSeconds: number): string {
  const rounded = Math.ceil(totalSeconds)
  if (rounded < 60) return `${rounded} s`
  const two = (value: number): string => String(value).padStart(2, '0')
  const hours = Math.floor(rounded / 3600)
  const minutes = Math.floor(rounded / 60) % 60
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rounded % 60)}` : `${minutes}:${two(rounded % 60)}`
}
