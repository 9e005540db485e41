/** Uploads of the whole page, one after the other: they go on while the person looks at something else. */
import { useQueryClient } from '@tanstack/react-query'
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { UploadReport } from '../api/answers.ts'
import type { Problem } from '../api/problem.ts'
import { stateQuery } from '../queries.ts'
import { type RunningUpload, uploadLog } from './upload.ts'

export interface Upload {
  readonly id: number
  readonly siteId: string
  readonly file: File
  readonly state: 'waiting' | 'sending' | 'done' | 'failed'
  readonly sentBytes: number
  readonly startedAt: number
  readonly report: UploadReport | null
  readonly problem: Problem | null
}

interface UploadQueue {
  readonly uploads: readonly Upload[]
  add(siteId: string, files: readonly File[]): void
  retry(id: number): void
  /** Stops it when it runs, and takes it off the list when it does not. */
  drop(id: number): void
}

const Context = createContext<UploadQueue | null>(null)

export const useUploads = (): UploadQueue => useContext(Context)!

const fresh = { state: 'waiting', sentBytes: 0, startedAt: 0, report: null, problem: null } as const

export function UploadProvider({ children }: { readonly children: ReactNode }) {
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const running = useRef<{ id: number; upload: RunningUpload } | null>(null)
  const lastId = useRef(0)
  const queryClient = useQueryClient()

  const change = useCallback((id: number, changes: Partial<Upload>) => {
    setUploads(all => all.map(upload => (upload.id === id ? { ...upload, ...changes } : upload)))
  }, [])

  const next = uploads.find(({ state }) => state === 'waiting')
  const isBusy = uploads.some(({ state }) => state === 'sending')
  useEffect(() => {
    if (!next || isBusy || running.current) return
    const { id, siteId, file } = next
    const upload = uploadLog(siteId, file, sentBytes => change(id, { sentBytes }))
    running.current = { id, upload }
    change(id, { state: 'sending', startedAt: Date.now() })
    upload.done
      .then(
        report => change(id, { state: 'done', report, sentBytes: file.size }),
        (problem: Problem) => change(id, { state: 'failed', problem }),
      )
      .finally(() => {
        running.current = null
        void queryClient.invalidateQueries({ queryKey: ['site', siteId] })
        void queryClient.invalidateQueries({ queryKey: stateQuery.queryKey })
      })
  }, [next, isBusy, change, queryClient])

  useEffect(() => {
    if (!isBusy) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [isBusy])

  const queue = useMemo<UploadQueue>(
    () => ({
      uploads,
      add: (siteId, files) =>
        setUploads(all => [
          ...all,
          ...files.map(file => {
            lastId.current++
            return { ...fresh, id: lastId.current, siteId, file }
          }),
        ]),
      retry: id => change(id, fresh),
      drop(id) {
        if (running.current?.id === id) running.current.upload.cancel()
        else setUploads(all => all.filter(upload => upload.id !== id))
      },
    }),
    [uploads, change],
  )
  return <Context value={queue}>{children}</Context>
}
