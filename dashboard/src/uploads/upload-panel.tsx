/** Where logs are dropped, and what became of them. */
import { ActionIcon, Button, Progress } from '@mantine/core'
import { type DragEvent, useRef, useState } from 'react'
import type { Site, UploadReport } from '../api/answers.ts'
import { formatBytes, formatExact, formatShare } from '../format.ts'
import { CloseIcon, UploadIcon } from '../parts/icons.tsx'
import { Quantity } from '../parts/quantity.tsx'
import { text } from '../text/text.ts'
import { type Upload, useUploads } from './upload-queue.tsx'
import './uploads.css'

const t = text.upload

export function UploadPanel({ site }: { readonly site: Site }) {
  const { uploads, add } = useUploads()
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setIsOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    add(site.id, [...event.dataTransfer.files])
  }
  return (
    <div className="stack">
      <section
        className="drop-zone"
        aria-label={t.title}
        data-over={isOver || undefined}
        onDragOver={event => {
          event.preventDefault()
          setIsOver(true)
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={drop}
      >
        <UploadIcon size={30} />
        <p>
          <strong>{t.drop}</strong> {t.or}{' '}
          <Button size="compact-md" variant="light" onClick={() => input.current?.click()}>
            {t.choose}
          </Button>
        </p>
        <p className="dimmed small">{t.formats}</p>
        <input
          ref={input}
          type="file"
          multiple
          className="visually-hidden"
          tabIndex={-1}
          aria-label={t.choose}
          onChange={event => {
            add(site.id, [...(event.currentTarget.files ?? [])])
            event.currentTarget.value = ''
          }}
        />
      </section>
      {uploads
        .filter(({ siteId }) => siteId === site.id)
        .map(upload => (
          <UploadRow key={upload.id} upload={upload} />
        ))}
    </div>
  )
}

/** Uploads that are under way or have just ended, for pages that do not take any. */
export function UploadNotes({ site }: { readonly site: Site }) {
  const own = useUploads().uploads.filter(({ siteId }) => siteId === site.id)
  if (own.length === 0) return null
  return (
    <section className="stack tight" aria-label={t.title}>
      {own.map(upload => (
        <UploadRow key={upload.id} upload={upload} />
      ))}
    </section>
  )
}

function UploadRow({ upload }: { readonly upload: Upload }) {
  const { retry, drop } = useUploads()
  const { id, file, state, problem, report } = upload
  return (
    <div className="upload" data-state={state}>
      <div className="upload-head">
        <strong className="upload-name">{file.name}</strong>
        <span className="dimmed small">{formatBytes(file.size)}</span>
        <span className="spring" />
        {state === 'failed' && (
          <Button size="compact-sm" variant="default" onClick={() => retry(id)}>
            {text.common.retry}
          </Button>
        )}
        <ActionIcon
          variant="subtle"
          color="gray"
          onClick={() => drop(id)}
          aria-label={`${state === 'sending' ? text.common.cancel : text.common.remove}: ${file.name}`}
        >
          <CloseIcon size={16} />
        </ActionIcon>
      </div>
      {state === 'waiting' && <p className="dimmed small">{t.waiting}</p>}
      {state === 'sending' && <Sending upload={upload} />}
      {problem && (
        <p className="upload-problem" role="alert">
          <strong>{t.failed}.</strong> {problem.message}
        </p>
      )}
      {report && <Report report={report} />}
    </div>
  )
}

function Sending({ upload: { file, sentBytes, startedAt } }: { readonly upload: Upload }) {
  const share = file.size === 0 ? 1 : Math.min(1, sentBytes / file.size)
  const seconds = Math.max(0.2, (Date.now() - startedAt) / 1000)
  return (
    <>
      <Progress value={share * 100} aria-label={file.name} animated={share === 1} mt={6} mb={4} />
      <p className="dimmed small">
        {share === 1 ? t.finishing : t.sending(formatShare(share), formatBytes(sentBytes / seconds))}
      </p>
    </>
  )
}

function Report({ report }: { readonly report: UploadReport }) {
  const { recorded, ignored, duplicate, malformed, firstMalformed, lines, seconds } = report
  const reasons = Object.entries(ignored).sort(([, a], [, b]) => b - a)
  const found = recorded.bot + recorded.referral
  return (
    <div className="upload-report" role="status">
      <p>
        <strong>
          <Quantity value={recorded.bot} />
        </strong>{' '}
        {t.bots} ·{' '}
        <strong>
          <Quantity value={recorded.referral} />
        </strong>{' '}
        {t.referrals}{' '}
        <span className="dimmed">
          · {t.lines(formatExact(lines), formatExact(Math.round(seconds * 10) / 10))}
        </span>
      </p>
      {found === 0 && duplicate === 0 && <p>{t.nothing}</p>}
      {duplicate > 0 && <p className="dimmed small">{t.duplicate(formatExact(duplicate))}</p>}
      {reasons.length > 0 && (
        <p className="dimmed small">
          {t.ignored}:{' '}
          {reasons
            .map(([reason, count]) => `${formatExact(count)} ${t.reasons[reason] ?? reason}`)
            .join(', ')}
          .
        </p>
      )}
      {malformed > 0 && (
        <p className="dimmed small malformed">
          {t.malformed(formatExact(malformed))}.{' '}
          {firstMalformed && t.firstMalformed(formatExact(firstMalformed.number), firstMalformed.text)}
        </p>
      )}
    </div>
  )
}
