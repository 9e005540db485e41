/** A thread that shares its counts with the one that started it, and answers each message with those of a site until one is null. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { DateRange } from '../../../src/domain/date-range.ts'
import { SpanExchange } from '../../../src/storage/sqlite/days/sqlite-span-exchange.ts'
import { openSqlite } from '../../../src/storage/sqlite/open-sqlite.ts'

const { file, port } = workerData as { file: string; port: MessagePort }
const spans = new SpanExchange()
const stores = openSqlite({ file, spans })
spans.connect(port)

parentPort!.on('message', async (question: { site: number; range: DateRange } | null) => {
  if (question) parentPort!.postMessage(await stores.events.countsByName(question.site, question.range))
  else {
    // Nothing is closed but this: the exchange alone keeps no thread alive.
    parentPort!.close()
  }
})
