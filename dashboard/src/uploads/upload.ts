/** Sends one log in a stream and hears how far it has come, which fetch cannot tell. */

import type { UploadReport } from '../api/answers.ts'
import { importUrl, pageHeaders } from '../api/client.ts'
import { Problem, problemOf } from '../api/problem.ts'
import { text } from '../text/text.ts'

export interface RunningUpload {
  readonly done: Promise<UploadReport>
  cancel(): void
}

export function uploadLog(siteId: string, file: File, onSent: (bytes: number) => void): RunningUpload {
  const request = new XMLHttpRequest()
  request.responseType = 'json'
  const done = new Promise<UploadReport>((resolve, reject) => {
    request.upload.onprogress = ({ loaded }) => onSent(loaded)
    request.onload = () => {
      const said = request.response as unknown
      if (request.status === 200 && said) resolve(said as UploadReport)
      else reject(problemOf(request.status, said))
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
