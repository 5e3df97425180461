(ns assay.checker
  "Asks the program `assay` whether a history of Jepsen kept its isolation level.

  (assay.checker/check history {:level \"serializable\"})
  => {:valid? false, :level \"serializable\", :text \"serializable  violated ...\"}

  As a Checker of a Jepsen test:

  (reify jepsen.checker/Checker
    (check [_ test history opts]
      (assay.checker/check history {:level \"snapshot-isolation\"})))"
  (:require [clojure.java.io :as io]
            [clojure.java.shell :refer [sh]])
  (:import (java.io File)))

(defn write-history
  "One operation in a line, as plain maps whatever they are."
  [history file]
  (with-open [out (io/writer file)]
    (binding [*out* out, *print-length* nil, *print-level* nil, *print-meta* false, *print-namespace-maps* false]
      (doseq [op history] (prn (into {} op))))))

(defn check
  "Checks a history, which is a sequence of operations, or the name of a file or folder.
  Options:
    :level    a level or several, joined by commas      (serializable)
    :program  the program                               (assay)
    :report   where to write a page that shows why      (nowhere)
    :args     more arguments for `assay check`"
  ([history] (check history {}))
  ([history {:keys [level program report args] :or {level "serializable" program "assay"}}]
   (let [named? (or (string? history) (instance? File history))
         file (if named? (io/file history) (File/createTempFile "assay-" ".edn"))]
     (try
       (when-not named? (write-history history file))
       (let [command (concat [program "check" (str file) "--level" level] (when report ["--report" (str report)]) args)
             {:keys [exit out err]} (apply sh command)
             ;; Undecided is never valid, and never a violation.
             valid? (get {0 true, 1 false, 2 :unknown} exit)]
         (when (nil? valid?)
           (throw (ex-info (str "assay cannot check this history: " err) {:exit exit, :command command})))
         {:valid? valid?, :level level, :text out})
       (finally (when-not named? (.delete ^File file)))))))
