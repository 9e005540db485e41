/** Three ways to get data, with texts that hold the real keys and addresses; waits for the first event by itself. */
import { Alert, Anchor, Button, Loader, Modal, Select, Tabs, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Site } from '../api/answers.ts'
import { api } from '../api/client.ts'
import { CodeBlock } from '../parts/copyable.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { navigate, sitePath } from '../router.ts'
import { text } from '../text/text.ts'
import { UploadPanel } from '../uploads/upload-panel.tsx'
import { conversionCommand, hitsCommand, type SnippetParts, trackerSnippets } from './snippets.ts'
import './add-data.css'

const t = text.firstData

/** Instead of empty charts, while a site has no event at all. */
export function AddData({ site }: { readonly site: Site }) {
  // A log may be of any days: what it brings is to be seen at once.
  useEffect(() => navigate(`${sitePath(site.id)}?range=all`, { replace: true }), [site.id])
  return (
    <div className="stack first-data">
      <div className="page-title">
        <h1>{t.title(site.domain)}</h1>
      </div>
      <p className="dimmed">{t.lead}</p>
      <section className="card" aria-label={t.addData}>
        <Ways site={site} />
      </section>
      <p className="waiting" role="status">
        <Loader size="xs" type="dots" /> {t.waiting}
      </p>
    </div>
  )
}

export function AddDataDialog({ site, onClose }: { readonly site: Site; readonly onClose: () => void }) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={t.addData}
      size="xl"
      closeButtonProps={{ 'aria-label': text.common.close }}
    >
      <Ways site={site} />
    </Modal>
  )
}

function Ways({ site }: { readonly site: Site }) {
  const [writeKey, setWriteKey] = useState<string | null>(null)
  const parts: SnippetParts = {
    host: window.location.origin,
    siteId: site.id,
    trackingKey: site.key,
    writeKey: writeKey ?? t.writeKey,
    domain: site.domain,
  }
  const keyMaker = <KeyMaker domain={site.domain} writeKey={writeKey} onMade={setWriteKey} />
  return (
    <Tabs defaultValue="import" keepMounted={false}>
      <Tabs.List mb="md" className="ways">
        <Tabs.Tab value="import">{t.importTab}</Tabs.Tab>
        <Tabs.Tab value="tracker">{t.trackerTab}</Tabs.Tab>
        <Tabs.Tab value="api">{t.apiTab}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="import">
        <UploadPanel site={site} />
      </Tabs.Panel>
      <Tabs.Panel value="tracker">
        <div className="stack">
          <Text>{t.trackerLead}</Text>
          {keyMaker}
          <Trackers parts={parts} />
        </div>
      </Tabs.Panel>
      <Tabs.Panel value="api">
        <div className="stack">
          <Text>{t.apiLead}</Text>
          {keyMaker}
          <CodeBlock code={hitsCommand(parts)} label={t.apiTab} />
          <Text>{t.conversionsLead}</Text>
          <CodeBlock code={conversionCommand(parts)} label={text.metrics.conversion} />
          <p>
            <Anchor href="/docs">{text.nav.reference}</Anchor>
          </p>
        </div>
      </Tabs.Panel>
    </Tabs>
  )
}

function Trackers({ parts }: { readonly parts: SnippetParts }) {
  const snippets = trackerSnippets(parts)
  const [platform, setPlatform] = useState(snippets[0]!.label)
  const snippet = snippets.find(({ label }) => label === platform) ?? snippets[0]!
  return (
    <>
      <Select
        label={t.platform}
        data={snippets.map(({ label }) => label)}
        value={platform}
        onChange={chosen => chosen && setPlatform(chosen)}
        allowDeselect={false}
        comboboxProps={{ withinPortal: true }}
        maw={260}
      />
      <CodeBlock code={snippet.code} label={`${t.trackerTab}: ${snippet.label}`} />
    </>
  )
}

interface KeyMakerProps {
  readonly domain: string
  readonly writeKey: string | null
  readonly onMade: (secret: string) => void
}

function KeyMaker({ domain, writeKey, onMade }: KeyMakerProps) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => api.makeKey({ name: domain, scopes: ['write'] }),
    onSuccess: ({ secret }) => onMade(secret),
  })
  if (writeKey !== null) {
    return (
      <Alert color="pine" variant="light" role="status">
        {t.keyMade}
      </Alert>
    )
  }
  return (
    <>
      <div className="key-maker">
        <span>{t.keyNeeded}</span>
        <Button onClick={() => mutate()} loading={isPending} variant="light">
          {t.makeKey}
        </Button>
      </div>
      <ProblemNote error={error} />
    </>
  )
}
