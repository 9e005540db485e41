/** Sends one log in a stream and hears how far it has come, which fetch cannot tell. */

import type { ImportReport } from '../../../src/ingest/logs/import-report.ts'
import { importUrl, Problem, pageHeaders, problemOf } from '../api.ts'
import { text } from '../text/text.ts'

export type UploadReport = ImportReport & {
  readonly firstMalformed: { readonly number: number; readonly text: string } | null
}

export interface RunningUpload {
  readonly done: Promise<UploadReport>
  cancel(): void
}

export function uploadLog(siteId: string, file: File, onSent: (bytes: number) => void): RunningUpload {
  const request = new XMLHttpRequest()
  const done = new Promise<UploadReport>((resolve, reject) => {
    request.upload.onprogress = ({ loaded }) => onSent(loaded)
    request.onload = () => {
      if (request.status === 200) resolve(JSON.parse(request.responseText) as UploadReport)
      else
        void problemOf({
          status: request.status,
          json: async () => JSON.parse(request.responseText),
        }).then(reject)
    }
    request.onerror = () => reject(new Problem('UNREACHABLE', text.upload.broken))
    request.onabort = () => reject(new Problem('CANCELLED', text.upload.cancelled))
    request.open('POST', importUrl(siteId))
    for (const [name, value] of Object.entries(pageHeaders)) request.setRequestHeader(name, value)
    request.setRequestHeader('content-type', 'application/octet-stream')
    request.send(file)
  })
  return { done, cancel: () => request.abort() }
}
