;; A minimal bot for Planning in Clojure (1.10 or newer).
;;
;; A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
;; then an EMPTY LINE. This bot declares its cards of the strongest value and plays the first card that it may.

(require '[clojure.string :as string])

(def start
  {:strongest nil   ; the value that no other beats
   :players 0
   :me 0
   :hand []         ; my cards, such as "TD": the value, then the suit
   :trick []})      ; the cards on the table

(defn number [word] (when (re-matches #"\d{1,9}" word) (Long/parseLong word)))

(defn without [card cards]
  (let [[before after] (split-with #(not= card %) cards)]
    (concat before (rest after))))

(defn choose [{:keys [hand trick]}]
  (or (first (filter #(and (seq trick) (= (last %) (last (first trick)))) hand))
      (first hand)))

(defn obey
  "The bot afterwards, and what stands after \"=\" in the reply; nil refuses."
  [bot [command & words]]
  (case command
    "set_deck" (when (= (count words) 2)
                 [(assoc bot :strongest (last (first words))) ""])
    "set_players" (let [numbers (map number words)]
                    (when (and (= (count numbers) 2) (every? some? numbers))
                      [(assoc bot :players (first numbers) :me (second numbers)) ""]))
    "set_cards" (when (and words (= (number (first words)) (count (rest words))))
                  [(assoc bot :hand (rest words) :trick []) ""])
    "gen_declare" [bot (str (count (filter #(= (first %) (:strongest bot)) (:hand bot))))]
    "gen_move" (when-let [card (choose bot)] [bot card])
    "play" (let [[seat card] words
                 trick (conj (:trick bot) card)]
             (when card
               [(cond-> (assoc bot :trick (if (>= (count trick) (:players bot)) [] trick))
                  (= (number seat) (:me bot)) (update :hand #(without card %)))
                ""]))
    ("set_game" "time_left" "declare" "quit") [bot ""]
    nil))

(loop [bot start]
  (when-let [line (read-line)]
    (let [words (remove empty? (string/split line #"\s+"))]
      (if (empty? words)
        (recur bot)   ; a blank line has no reply
        (let [[after text] (obey bot words)]
          (print (str (if text (string/trim (str "= " text)) "? cannot do that") "\n\n"))
          (flush)     ; without this the reply waits in a buffer
          (when-not (= (first words) "quit")
            (recur (or after bot))))))))
