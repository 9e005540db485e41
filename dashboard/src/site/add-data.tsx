/** Sources to get data: instead of empty charts while a site has none, and in a dialog later. Waits for the first event by itself. */
import { Loader, Modal, Skeleton } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { lazy, Suspense, useEffect, useState } from 'react'
import type { Site } from '../api/answers.ts'
import { changeQuery, navigate, sitePath } from '../router.ts'
import { text } from '../text/text.ts'
import './add-data.css'

const Sources = lazy(() => import('../sources/sources.tsx'))

const t = text.firstData

/** Instead of empty charts, while a site has no event at all. */
export function AddData({ site }: { readonly site: Site }) {
  const [source, setSource] = useState('import')
  // A log may be of any days: what it brings is to be seen at once.
  useEffect(() => navigate(`${sitePath(site.id)}?range=all`, { replace: true }), [site.id])
  return (
    <div className="stack first-data">
      <div className="page-title">
        <h1>{t.title(site.domain)}</h1>
      </div>
      <p className="dimmed">{t.lead}</p>
      <section className="card" aria-label={t.addData}>
        <Suspense fallback={<Skeleton height={240} />}>
          <Sources site={site} source={source} onSource={setSource} />
        </Suspense>
      </section>
      <p className="waiting" role="status">
        <Loader size="xs" type="dots" /> {t.waiting}
      </p>
    </div>
  )
}

/** The address holds what the dialog shows, such as `?add=drains/vercel`. */
export const addData = (source: string): void => changeQuery({ add: source })

interface AddDataDialogProps {
  readonly site: Site
  /** As the address has it; null while the dialog is closed. */
  readonly source: string | null
}

export function AddDataDialog({ site, source }: AddDataDialogProps) {
  const isNarrow = useMediaQuery('(max-width: 620px)')
  if (source === null) return null
  return (
    <Modal
      opened
      onClose={() => changeQuery({ add: null }, { replace: true })}
      title={t.addData}
      size={880}
      fullScreen={isNarrow === true}
      closeButtonProps={{ 'aria-label': text.common.close }}
    >
      <Suspense fallback={<Skeleton height={240} />}>
        <Sources
          site={site}
          source={source}
          onSource={chosen => changeQuery({ add: chosen }, { replace: true })}
        />
      </Suspense>
    </Modal>
  )
}
