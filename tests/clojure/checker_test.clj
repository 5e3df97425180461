;; The checker for Jepsen on histories as Jepsen writes them. Arguments: the program, and EDN files that must be checked without an error.
(require '[assay.checker :as assay] '[clojure.test :refer [deftest is run-tests]] '[clojure.java.io :as io])

(def program (first *command-line-args*))
(def files (rest *command-line-args*))

(defn txn [index process type value] {:index index, :time (* 10 index), :process process, :type type, :f :txn, :value value})

(defrecord Op [index time process type f value])  ; newer versions of Jepsen have records instead of maps

(def appended
  [(txn 0 0 :invoke [[:append :x 1]]) (txn 1 0 :ok [[:append :x 1]])
   (txn 2 1 :invoke [[:r :x nil]]) (txn 3 1 :ok [[:r :x [1]]])])

(def skewed
  [(txn 0 0 :invoke [[:r :x nil] [:w :y 1]]) (txn 1 1 :invoke [[:r :y nil] [:w :x 1]])
   (txn 2 0 :ok [[:r :x nil] [:w :y 1]]) (txn 3 1 :ok [[:r :y nil] [:w :x 1]])
   {:index 4, :time 50, :process :nemesis, :type :info, :f :start, :value nil}])

(deftest a-history-that-is-serializable
  (is (= true (:valid? (assay/check appended {:program program}))))
  (is (= true (:valid? (assay/check (map map->Op appended) {:program program})))))

(deftest a-write-skew-is-told
  (let [found (assay/check skewed {:program program})]
    (is (= false (:valid? found)))
    (is (re-find #"Write skew" (:text found))))
  (is (= true (:valid? (assay/check skewed {:program program, :level "snapshot-isolation"})))))

(deftest printing-limits-of-a-session-do-not-cut-a-history-short
  (binding [*print-length* 1]
    (is (= false (:valid? (assay/check skewed {:program program}))))))

(deftest undecided-is-unknown
  (is (= :unknown (:valid? (assay/check appended {:program program, :args ["--require-committed" "100"]})))))

(deftest what-is-no-history-is-an-error
  (is (thrown? clojure.lang.ExceptionInfo (assay/check "no/such/file" {:program program})))
  (is (thrown? clojure.lang.ExceptionInfo (assay/check appended {:program program, :level "acid"}))))

(deftest files-and-pages
  (let [page (java.io.File/createTempFile "assay-" ".html")]
    (assay/check skewed {:program program, :report page})
    (is (re-find #"</html>" (slurp page)))
    (.delete page))
  (doseq [file files]
    (is (contains? #{true false :unknown} (:valid? (assay/check file {:program program}))) file)
    (is (contains? #{true false :unknown} (:valid? (assay/check (io/file file) {:program program}))) file)))

(let [{:keys [fail error]} (run-tests)]
  (shutdown-agents)
  (System/exit (if (zero? (+ fail error)) 0 1)))
