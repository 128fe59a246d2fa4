// The order of search results: how well a page's title and headings match the words, before words in its text.
// Sphinx calls `Scorer.score` for each result; the result of a page leads to the heading that matches best.
var Scorer = {
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,

  TITLE: 100, HEADING: 85, OBJECT: 70, WHOLE_NAME: 160, FURTHER: 30,
  PLACES: [[/^howto\//, 4], [/^tutorials\//, -4], [/^(theory\/|papers|errata|counts|diagonal|optimise)/, -10],
    [/^reference\/(changelog|contributing)/, -60], [/^reference\//, -15]],

  words: (text) => splitQuery(text.toLowerCase()).flatMap((word) => word.split("_")).filter((word) => word),

  // The query, and the stems of its words with their weights: the fewer pages have a word, the more it tells.
  asked: () => {
    const query = (new URLSearchParams(window.location.search).get("q") || "").toLowerCase().trim();
    if (Scorer.query !== query) {
      const stemmer = new Stemmer(), { terms, titleterms, docnames } = Search._index;
      const pages = (stem) => new Set([terms, titleterms].flatMap((x) => Object.hasOwn(x, stem) ? x[stem] : []));
      Scorer.query = query;
      Scorer.stem = (word) => stemmer.stemWord(word);
      const words = Scorer.words(query), telling = words.filter((word) => !stopwords.has(word));
      const stems = (telling.length ? telling : words).map(Scorer.stem);
      const weights = stems.map((stem) => Math.log(1.5 + docnames.length / (1 + pages(stem).size)));
      const sum = weights.reduce((x, y) => x + y, 0);
      Scorer.stems = stems.map((stem, k) => [stem, weights[k] / sum]);
    }
    return Scorer.stems;
  },

  // How much of the query a text has, and how little else: from 0 to 1.2. A word may be the beginning of another; one
  // that is only in the context, the title above a heading or the path of a page, counts less.
  match: (text, context) => {
    const asked = Scorer.asked();
    const [own, around] = [text, context].map((x) => Scorer.words(x).map(Scorer.stem));
    const begins = (words, stem) => stem.length > 2 && words.some((word) => word.startsWith(stem));
    const here = (stem) => own.includes(stem) ? 1 : begins(own, stem) ? 0.7 : 0;
    const value = (stem) => here(stem) || (around.includes(stem) || begins(around, stem) ? 0.3 : 0);
    if (!asked.some(([stem]) => here(stem))) return 0;
    const share = asked.reduce((sum, [stem, weight]) => sum + weight * value(stem), 0);
    const phrase = asked.map(([stem]) => stem).join(" ");
    return share + (` ${own.join(" ")} `.includes(` ${phrase} `) ? 0.1 : 0) + 0.1 * Math.min(1, asked.length / own.length);
  },

  // Headings of each page, as [text, anchor]; the title has the anchor null.
  headings: (page) => {
    if (!Scorer.ofPages) {
      const { alltitles, docnames } = Search._index;
      Scorer.ofPages = {};
      for (const [text, places] of Object.entries(alltitles))
        for (const [file, anchor] of places) (Scorer.ofPages[docnames[file]] ||= []).push([text, anchor]);
    }
    return Scorer.ofPages[page] || [];
  },

  score: (result) => {
    const [page, name, , , score, , kind] = result, path = page.replaceAll("/", " ");
    const place = (Scorer.PLACES.find(([pattern]) => pattern.test(page)) || [null, 0])[1];
    if (kind === "object") {
      const value = Math.min(1, Scorer.match(name, "")), last = name.split(".").pop().toLowerCase();
      const whole = Scorer.query.replace(/\(\)$/, "").split(".").pop() === last;
      const own = name.startsWith("kinetrace.Robot.") ? 5 : 0;  // before its likes for other arrays
      if (whole && /[_.(]/.test(Scorer.query)) return Scorer.WHOLE_NAME + value + own;
      return Scorer.OBJECT * value + place + own + (whole ? 5 : 0);
    }
    if (kind === "title") return Scorer.HEADING * Scorer.match(name.split(" > ").pop(), path) + place - Scorer.FURTHER;
    if (kind !== "text") return score + place;
    const title = Search._index.titles[Search._index.docnames.indexOf(page)];
    let best = Scorer.TITLE * Scorer.match(title, path);
    for (const [text, anchor] of Scorer.headings(page)) {
      const value = Scorer.HEADING * Scorer.match(text, `${title} ${path}`);
      if (anchor && value > best) {
        best = value;
        [result[1], result[2]] = [`${title} > ${text}`, `#${anchor}`];  // as Sphinx names it: one of the two stays
      }
    }
    return score + best + place;
  },
};
