/** Reads and classifies large batches in a separate thread, so that no other request waits for them. */
import { parentPort, workerData } from 'node:worker_threads'
import { createDetector } from '../detection/create-detector.ts'
import { AppError, type ErrorCode } from '../domain/errors.ts'
import { classifyBatch, type SentBatch } from './classify-batch.ts'
import { openCountries } from './country.ts'
import type { BatchResult } from './incoming-batch.ts'

export interface BatchThreadSettings {
  readonly excludedBots: readonly string[]
}

export interface BatchRequest {
  readonly id: number
  readonly batch: SentBatch
}

export type BatchReply =
  | { readonly id: number; readonly result: BatchResult }
  /** `code` is null for a bug. */
  | { readonly id: number; readonly code: ErrorCode | null; readonly message: string }

if (parentPort) {
  const port = parentPort
  const { excludedBots } = workerData as BatchThreadSettings
  const parts = {
    detector: createDetector({ excludedBots: new Set(excludedBots) }),
    countryOf: openCountries(),
  }
  const answer = ({ id, batch }: BatchRequest): BatchReply => {
    try {
      return { id, result: classifyBatch(parts, batch) }
    } catch (error) {
      if (error instanceof AppError) return { id, code: error.code, message: error.message }
      return { id, code: null, message: String((error as Error).stack) }
    }
  }
  port.on('message', (request: BatchRequest) => port.postMessage(answer(request)))
}
